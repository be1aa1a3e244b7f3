# expect: remark number_not_in_code
# "above 2" tests x > 4.
class CountLarge(VerifiableEnvironment):
    prompt_template = "Find how many numbers above 2 there are in {a}. Give one integer."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = [r.randint(1, 9) for _ in range(4 + difficulty)]
        self.ref_answer = len([x for x in self.a if x > 4])
    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
