# expect: L2 control_characters
# The prompt commands a terminal.
class Coloured(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.a, self.b = rng.randint(2, 9 * 4 ** difficulty), rng.randint(2, 9 * 4 ** difficulty)
        self.ref_answer = self.a * self.b

    def _prompt_generate(self):
        return f"\x1b[31mWhat is {self.a} * {self.b}?\x1b[0m Answer with one integer."

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
