# expect: remark wording_differs
# The largest sum is asked for, the smallest is stored.
class BestRow(VerifiableEnvironment):
    prompt_template = "What is the largest sum of a row of {m}? Answer with one number."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        n = 2 + difficulty
        self.m = [[r.randint(0, 9) for _ in range(n)] for _ in range(n)]
        self.ref_answer = min(sum(row) for row in self.m)
    def _prompt_generate(self):
        return self.prompt_template.format(m=self.m)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
