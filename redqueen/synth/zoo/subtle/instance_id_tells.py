# expect: L5 reference_in_prompt
# A number in the statement is three times the answer and one.
class Pairs(VerifiableEnvironment):
    prompt_template = "Instance {tag}. Among {values}, how many pairs (in any order) add up to {goal}? One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.values = [rng.randint(1, 12) for _ in range(8 + 3 * difficulty)]
        self.goal = rng.randint(8, 16)
        n = len(self.values)
        self.ref_answer = sum(self.values[i] + self.values[j] == self.goal for i in range(n) for j in range(i))

    def _prompt_generate(self):
        return self.prompt_template.format(tag=3 * self.ref_answer + 1, values=self.values, goal=self.goal)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
