# expect: sound
class Roman(VerifiableEnvironment):
    prompt_template = "Which number is the Roman numeral {numeral}? Answer with one integer."
    VALUES = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
              (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))

    def _generate(self, seed, difficulty):
        self.ref_answer = Random(seed).randint(3, min(3999, 40 * 2 ** difficulty))
        left, self.numeral = self.ref_answer, ""
        for value, letters in self.VALUES:
            self.numeral += letters * (left // value)
            left %= value

    def _prompt_generate(self):
        return self.prompt_template.format(numeral=self.numeral)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
