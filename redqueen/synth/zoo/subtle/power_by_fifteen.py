# expect: remark number_not_in_code
# The remainder by 15 is taken by 17.
class PowerMod(VerifiableEnvironment):
    prompt_template = "Compute the remainder of {a} to the power {b} by 15. Answer with one number."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = r.randint(2, 20 + 10 * difficulty)
        self.b = r.randint(2, 20 + 10 * difficulty)
        self.ref_answer = pow(self.a, self.b, 17)
    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
