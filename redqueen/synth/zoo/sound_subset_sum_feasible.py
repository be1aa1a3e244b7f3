# expect: sound
# The paper's figure 6, in our words: any subset with the right sum counts.
from collections import Counter


class PlantedSubset(VerifiableEnvironment):
    prompt_template = "From the multiset {S}, choose elements that add up to {target}. Answer with the elements, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 8 + difficulty * 4
        k = rng.randint(2, n // 2)
        solution = [rng.randint(1, 50) for _ in range(k)]
        self.target = sum(solution)
        self.S = solution + [rng.randint(1, 50) for _ in range(n - k)]
        rng.shuffle(self.S)
        self.ref_answer = sorted(solution)

    def _prompt_generate(self):
        return self.prompt_template.format(S=self.S, target=self.target)

    def _process(self, response):
        numbers = parse_int_list(response)
        return None if numbers is None else sorted(numbers)

    def scorer(self, parsed):
        if not parsed or sum(parsed) != self.target:
            return 0.0
        have, need = Counter(self.S), Counter(parsed)
        return 0.0 if any(need[x] > have[x] for x in need) else 1.0
