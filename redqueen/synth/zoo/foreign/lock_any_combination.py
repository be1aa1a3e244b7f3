# expect: sound
from itertools import product


class LockCombination(VerifiableEnvironment):
    prompt_template = """A lock has {n} dials with the digits 0 to {top}. These attempts were made; behind each stands how many of its digits were right at their place:
{hints}
Which combination is consistent with all of them? There may be several: give any. Write the digits with spaces between them."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n, self.top = 3 + difficulty // 4, 4 + difficulty // 3
        secret = [rng.randint(0, self.top) for _ in range(self.n)]
        self.hints = []
        for _ in range(3 + difficulty):
            attempt = [rng.randint(0, self.top) for _ in range(self.n)]
            self.hints.append((attempt, self.hits(attempt, secret)))
        self.ref_answer = list(next(c for c in product(range(self.top + 1), repeat=self.n) if self.fits(c)))

    @staticmethod
    def hits(one, other):
        return sum(a == b for a, b in zip(one, other))

    def fits(self, combination):
        return all(self.hits(attempt, combination) == count for attempt, count in self.hints)

    def _prompt_generate(self):
        lines = "\n".join(f"{' '.join(map(str, attempt))}: {count}" for attempt, count in self.hints)
        return self.prompt_template.format(n=self.n, top=self.top, hints=lines)

    def _process(self, response):
        digits = parse_int_list(response)
        return digits if digits and len(digits) == self.n and all(0 <= d <= self.top for d in digits) else None

    def scorer(self, parsed):
        return 1.0 if self.fits(parsed) else 0.0
