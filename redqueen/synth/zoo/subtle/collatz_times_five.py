# expect: remark number_not_in_prompt
# Three times is told, five times is computed.
class Collatz(VerifiableEnvironment):
    """Steps of a sequence, cut off at a hundred."""

    def _generate(self, seed, difficulty):
        self.n = Random(seed).randint(3, 40 * 3 ** min(difficulty, 8))
        x, steps = self.n, 0
        while x != 1 and steps < 100:
            x = x // 2 if x % 2 == 0 else 5 * x + 1
            steps += 1
        self.ref_answer = x % 1000

    def _prompt_generate(self):
        return (f"Begin with {self.n}. An even number is halved; an odd number is multiplied by three, and one is added. Stop at 1, "
                "or else after 100 steps. What are the last three digits of the number that is reached, that is, its remainder by "
                "1000? Answer with one integer.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
