# expect: sound
class LongestIncreasing(VerifiableEnvironment):
    prompt_template = ("Delete as few numbers as possible from {A} such that the remaining ones, in their old order, are strictly increasing. Print the "
                       "**remaining numbers** on one line. Any optimal choice is fine.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = [rng.randint(1, 99) for _ in range(5 + 3 * difficulty)]
        best = []
        for i, x in enumerate(self.A):
            before = [chain for chain in best if chain[-1] < x]
            best.append(max(before, key=len, default=[]) + [x])
        self.ref_answer = max(best, key=len)

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if any(a >= b for a, b in zip(parsed, parsed[1:])):
            return -0.5
        rest = iter(self.A)
        if not all(x in rest for x in parsed):
            return -0.5
        return ratio_reward(len(parsed), len(self.ref_answer))
