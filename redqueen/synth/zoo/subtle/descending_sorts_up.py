# expect: remark wording_differs
# Descending order is asked for, ascending is stored.
class SortDown(VerifiableEnvironment):
    prompt_template = "Give {a} in descending order. Separate the numbers by spaces."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = [r.randint(1, 20) for _ in range(4 + difficulty)]
        self.ref_answer = sorted(self.a)
    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a)
    def _process(self, response):
        return parse_int_list(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
