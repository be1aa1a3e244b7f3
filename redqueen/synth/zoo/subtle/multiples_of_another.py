# expect: remark number_not_in_code
# Multiples of 6 are asked for, those of 7 are counted.
class Multiples(VerifiableEnvironment):
    prompt_template = "Compute how many multiples of 6 there are from 1 to {n}. Give one integer."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.n = r.randint(10, 60 + 30 * difficulty)
        self.ref_answer = self.n // 7
    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
