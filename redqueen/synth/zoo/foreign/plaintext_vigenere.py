# expect: sound
class VigenereReader(VerifiableEnvironment):
    """Decrypt by subtracting the key's letters."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        letter = lambda: chr(ord("a") + rng.randrange(26))
        self.key = "".join(letter() for _ in range(2 + difficulty // 2))
        plain = "".join(letter() for _ in range(5 + 2 * difficulty))
        shift = lambda i: ord(self.key[i % len(self.key)]) - ord("a")
        self.cipher = "".join(chr((ord(c) - ord("a") + shift(i)) % 26 + ord("a")) for i, c in enumerate(plain))
        self.ref_answer = plain

    def _prompt_generate(self):
        return (f"The ciphertext {self.cipher} was made with a Vigenere cipher and the key {self.key}: each letter of the plaintext was moved forward "
                "in the alphabet by the position of the key's letter (a moves by 0, b by 1, ...), and the key is repeated as often as "
                "needed. Recover the plaintext.")

    def _process(self, response):
        text = response.strip().lower()
        return text if text.isalpha() and text.isascii() else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
