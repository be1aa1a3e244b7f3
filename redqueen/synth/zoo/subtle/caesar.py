# expect: sound
class Caesar(VerifiableEnvironment):
    prompt_template = "Shift every letter of {plain} by {shift} places forward in the alphabet; z is followed by a. Answer with the text."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.plain = "".join(chr(97 + rng.randrange(26)) for _ in range(4 + 3 * difficulty))
        self.shift = rng.randint(3, 22)
        self.ref_answer = "".join(chr((ord(c) - 97 + self.shift) % 26 + 97) for c in self.plain)

    def _prompt_generate(self):
        return self.prompt_template.format(plain=self.plain, shift=self.shift)

    def _process(self, response):
        return response.strip() or None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
