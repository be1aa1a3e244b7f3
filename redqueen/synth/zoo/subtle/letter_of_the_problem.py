# expect: sound
class Occurrences(VerifiableEnvironment):
    prompt_template = 'How often does the letter "{letter}" occur in "{text}"? Answer with one integer.'

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        alphabet = "abcdef"[:3 + min(difficulty, 3)]
        self.text = "".join(rng.choice(alphabet) for _ in range(8 + 6 * difficulty))
        self.letter = rng.choice(alphabet)
        self.ref_answer = self.text.count(self.letter)

    def _prompt_generate(self):
        return self.prompt_template.format(letter=self.letter, text=self.text)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
