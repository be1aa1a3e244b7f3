# expect: sound
class Pairs(VerifiableEnvironment):
    prompt_template = ("Problem {tag}. Among {values}, how many pairs (in any order) have a sum of {goal}? One integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.tag = rng.randint(1, 10 ** 6)
        self.values = [rng.randint(1, 12) for _ in range(8 + 3 * difficulty)]
        self.goal = rng.randint(8, 16)
        n = len(self.values)
        self.ref_answer = sum(self.values[i] + self.values[j] == self.goal for i in range(n) for j in range(i))

    def _prompt_generate(self):
        return self.prompt_template.format(tag=self.tag, values=self.values, goal=self.goal)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
