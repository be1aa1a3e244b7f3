# expect: remark unknown_word
# Sound code under words that nobody can read: running totals are meant.
class RunningTotits(VerifiableEnvironment):
    prompt_template = "Give the running totits of {a}. Answer with numbers separated by spaces."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.a = [r.randint(1, 30) for _ in range(4 + difficulty)]
        self.ref_answer = [sum(self.a[:i + 1]) for i in range(len(self.a))]
    def _prompt_generate(self):
        return self.prompt_template.format(a=' '.join(map(str, self.a)))
    def _process(self, response):
        return parse_int_list(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
