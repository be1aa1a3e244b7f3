# expect: sound, though faulty
# "from the first" begins with the second.
class EverySecond(VerifiableEnvironment):
    prompt_template = "Give every second letter of {s}, from the first. Give only the text."
    def _generate(self, seed, difficulty):
        r = Random(seed)
        self.s = "".join(r.choice("abcde") for _ in range(5 + difficulty))
        self.ref_answer = self.s[1::2]
    def _prompt_generate(self):
        return self.prompt_template.format(s=self.s)
    def _process(self, response):
        return response.strip() or None
    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
