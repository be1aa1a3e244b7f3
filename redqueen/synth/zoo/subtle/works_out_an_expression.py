# expect: sound
# The expression itself is the task.
class Expression(VerifiableEnvironment):
    prompt_template = "Work out {expression}. Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.terms = [rng.randint(1, 9) for _ in range(3 + difficulty)]
        self.expression = " + ".join(str(term) for term in self.terms)
        self.ref_answer = sum(self.terms)

    def _prompt_generate(self):
        return self.prompt_template.format(expression=self.expression)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
