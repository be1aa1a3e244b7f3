# expect: remark number_not_in_prompt
# 2 f(i-1) is told, 4 f(i-1) is computed.
class Recurrence(VerifiableEnvironment):
    prompt_template = "What is f({n}) modulo 11 where f(0) = 1, f(1) = {b} and f(i) = 2 f(i-1) + 3 f(i-2)? Give one integer."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.n = r.randint(2, 4 + 2 * difficulty)
        self.b = r.randint(1, 9)
        x, y = 1, self.b
        for _ in range(self.n - 1):
            x, y = y, 4 * y + 3 * x
        self.ref_answer = y % 11
    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, b=self.b)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
