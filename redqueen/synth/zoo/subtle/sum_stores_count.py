# expect: remark wording_differs
# The sum is asked for, the count is stored.
class SumOfOdd(VerifiableEnvironment):
    prompt_template = "Find the sum of the odd numbers in {a}. Answer with one number."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = [r.randint(0, 9) for _ in range(4 + difficulty)]
        self.ref_answer = len([x for x in self.a if x % 2 == 1])
    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
