# expect: sound
# The statement gives the codes of letters as numbers; the code has them from ord().
class RollingHash(VerifiableEnvironment):
    prompt_template = ("A machine starts with 7. For every letter of {text} it multiplies its number by 31, adds the letter's code (120 for x, "
                       "121 for y, 122 for z), and keeps the remainder by 1,009. Which number does it end with? One integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.text = "".join(rng.choice("xyz") for _ in range(3 + 2 * difficulty))
        value = 7
        for letter in self.text:
            value = (value * 31 + ord(letter)) % 1009
        self.ref_answer = value

    def _prompt_generate(self):
        return self.prompt_template.format(text=self.text)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
