# expect: L3 hash_seed_dependent
# The order of a set of strings.
class ReverseWord(VerifiableEnvironment):
    prompt_template = "Write the word {word} backwards."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.word = "".join(rng.choice("abcdefgh") for _ in range(4 + difficulty))
        self.word = "".join(set(self.word + "xyzuvw"))
        self.ref_answer = self.word[::-1]

    def _prompt_generate(self):
        return self.prompt_template.format(word=self.word)

    def _process(self, response):
        return response.strip()

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
