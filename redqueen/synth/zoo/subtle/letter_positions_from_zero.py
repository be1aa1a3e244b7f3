# expect: sound, though faulty
# The statement counts a as 1, the code as 0.
class LetterPositions(VerifiableEnvironment):
    prompt_template = ("Write the word {word} and, for each of its letters, add up its place in the alphabet "
                       "(a is 1, z is 26). What is the total? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.word = "".join(chr(97 + rng.randrange(26)) for _ in range(3 + 2 * difficulty))
        self.ref_answer = sum(ord(letter) - 97 for letter in self.word)

    def _prompt_generate(self):
        return self.prompt_template.format(word=self.word)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
