# expect: L2 control_characters
# The answer has a control character.
class Joined(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.words = ["".join(rng.choice("abcd") for _ in range(3)) for _ in range(2 + difficulty)]
        self.ref_answer = "\x07".join(sorted(self.words))

    def _prompt_generate(self):
        return f"Sort the words {' '.join(self.words)} and join them."

    def _process(self, response):
        return response or None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
