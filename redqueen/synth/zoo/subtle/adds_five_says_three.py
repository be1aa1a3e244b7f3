# expect: remark number_not_in_code
# 3 is to be added, 5 is.
class Shift(VerifiableEnvironment):
    prompt_template = "Give {a} with 3 added to each number. Answer with numbers separated by spaces."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = [r.randint(1, 9) for _ in range(3 + difficulty)]
        self.ref_answer = [x + 5 for x in self.a]
    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a)
    def _process(self, response):
        return parse_int_list(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
