# expect: remark wording_differs
# The letter a is asked for, e is counted.
class CountLetter(VerifiableEnvironment):
    prompt_template = "Give how often the letter a occurs in {s}. Answer with one number."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.s = "".join(r.choice("aeiost") for _ in range(6 + difficulty))
        self.ref_answer = self.s.count("e")
    def _prompt_generate(self):
        return self.prompt_template.format(s=self.s)
    def _process(self, response):
        return parse_int(response)
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
