# expect: remark wording_differs
# Even numbers are asked for, odd ones are counted.
class EvenSum(VerifiableEnvironment):
    prompt_template = "What is the sum of the even numbers in {a}? Answer with one number."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = [r.randint(1, 20) for _ in range(4 + difficulty)]
        s = 0
        for x in self.a:
            if x % 2 == 1:
                s += x
        self.ref_answer = s
    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
