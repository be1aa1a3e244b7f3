# expect: remark number_not_in_prompt
# Fines start at a limit that is not told.
class Fines(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.speeds = [rng.randint(30, 80) for _ in range(4 + 2 * difficulty)]
        total = 0
        for speed in self.speeds:
            if speed > 55:
                total += 15 * (speed - 55)
        self.ref_answer = total

    def _prompt_generate(self):
        return ("A radar measured the speeds " + ", ".join(map(str, self.speeds))
                + ". Every unit above the limit costs 15 coins. How many coins are due together? Answer with one integer.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
