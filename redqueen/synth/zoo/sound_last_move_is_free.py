# expect: sound
# The last move may go to any of several places: one free element is no near miss.
class ClearTheRow(VerifiableEnvironment):
    prompt_template = "Lamps in a row: {lamps} (1 is on). A move names one of them, counted from 0, and toggles it. Name lamps so that after all moves no lamp is on, and end with any one extra number from 0 to 99, which is not a move. Separate all numbers by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.lamps = [rng.randint(0, 1) for _ in range(4 + 2 * difficulty)]
        self.ref_answer = [i for i, lamp in enumerate(self.lamps) if lamp] + [rng.randint(1, 98)]

    def _prompt_generate(self):
        return self.prompt_template.format(lamps=" ".join(map(str, self.lamps)))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if not parsed or not 0 <= parsed[-1] <= 99:
            return 0.0
        lamps = list(self.lamps)
        for lamp in parsed[:-1]:
            if not 0 <= lamp < len(lamps):
                return 0.0
            lamps[lamp] ^= 1
        return 0.0 if any(lamps) else 1.0
