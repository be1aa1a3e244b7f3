# expect: remark wording_differs
# Nothing tells what to do with the list.
class Nothing(VerifiableEnvironment):
    prompt_template = "Work out {terms}. Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.terms = [rng.randint(1, 9) for _ in range(3 + difficulty)]
        self.ref_answer = sum(term * term for term in self.terms)

    def _prompt_generate(self):
        return self.prompt_template.format(terms=self.terms)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
