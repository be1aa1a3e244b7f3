# expect: sound
class Caesar(VerifiableEnvironment):
    prompt_template = "Shift every letter of '{text}' forward by {shift} places in the alphabet, z being followed by a. Answer with the result."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.text = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(4 + 2 * difficulty))
        self.shift = rng.randint(1, 25)
        self.ref_answer = "".join(chr((ord(c) - 97 + self.shift) % 26 + 97) for c in self.text)

    def _prompt_generate(self):
        return self.prompt_template.format(text=self.text, shift=self.shift)

    def _process(self, response):
        text = response.strip()
        return text if text.isalpha() and text.isascii() else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
