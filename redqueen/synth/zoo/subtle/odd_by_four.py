# expect: remark wording_differs
# Odd numbers are asked for, only those with remainder 1 by 4 are added.
class OddByFour(VerifiableEnvironment):
    prompt_template = "What is the sum of the odd numbers in {a}? Answer with one number."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = [r.randint(1, 20) for _ in range(4 + difficulty)]
        self.ref_answer = sum(x for x in self.a if x % 4 == 1)
    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
