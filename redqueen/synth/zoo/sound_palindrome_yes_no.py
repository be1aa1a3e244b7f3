# expect: sound
class PalindromeCheck(VerifiableEnvironment):
    prompt_template = "Is {word} the same read backwards? Answer with Yes or No."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        half = [rng.choice("abc") for _ in range(3 + difficulty)]
        letters = half + half[::-1]
        if rng.random() < 0.5:
            place = rng.randrange(len(letters))
            letters[place] = rng.choice([c for c in "abc" if c != letters[place]])
        self.word = "".join(letters)
        self.ref_answer = self.word == self.word[::-1]

    def _prompt_generate(self):
        return self.prompt_template.format(word=self.word)

    def _process(self, response):
        return {"yes": True, "no": False}.get(response.strip().lower())

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
