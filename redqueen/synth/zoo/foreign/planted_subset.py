# expect: sound
from collections import Counter


class SubsetSumEnv(VerifiableEnvironment):
    prompt_template = "Consider the multiset {S}. Choose a nonempty submultiset whose elements add up to exactly {target}, and print its elements."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        size = 6 + 3 * difficulty
        chosen = [rng.randint(1, 50) for _ in range(rng.randint(2, size // 2))]
        self.S = chosen + [rng.randint(1, 50) for _ in range(size - len(chosen))]
        self.target = sum(chosen)
        rng.shuffle(self.S)
        self.ref_answer = sorted(chosen)

    def _prompt_generate(self):
        return self.prompt_template.format(S=self.S, target=self.target)

    def _process(self, response):
        return sorted(parse_int_list(response))

    def scorer(self, parsed):
        fits = not Counter(parsed) - Counter(self.S)
        return 1.0 if parsed and fits and sum(parsed) == self.target else 0.0
