# expect: L4 answers_constant
# At higher difficulty the answer is always yes.
class SumReached(VerifiableEnvironment):
    prompt_template = "Can some of the numbers {numbers} be chosen whose sum is {goal}? Answer Yes or No."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.numbers = [rng.randint(1, 9) for _ in range(4 + 3 * difficulty)]
        self.goal = rng.randint(8, 18)
        sums = {0}
        for number in self.numbers:
            sums |= {total + number for total in sums}
        self.ref_answer = self.goal in sums

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=self.numbers, goal=self.goal)

    def _process(self, response):
        return {"yes": True, "no": False}.get(response.strip().lower())

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
