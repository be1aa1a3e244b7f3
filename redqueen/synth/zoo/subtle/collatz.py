# expect: sound
class Collatz(VerifiableEnvironment):
    """Steps of the hailstone sequence."""

    def _generate(self, seed, difficulty):
        self.n = Random(seed).randint(3, 40 * 3 ** min(difficulty, 8))
        x, steps = self.n, 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        self.ref_answer = steps

    def _prompt_generate(self):
        return (f"Begin with {self.n}. An even number is halved; an odd number is multiplied by three, and one is added. "
                "After how many steps is 1 reached for the first time? Answer with one integer.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
