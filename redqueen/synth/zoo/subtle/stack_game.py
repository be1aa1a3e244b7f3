# expect: sound
class TakeAway(VerifiableEnvironment):
    prompt_template = ("Two players take {least} to {most} stones in turn from a heap of {heap}; who cannot take that many any more loses. "
                       "Does the first player win if both play well? How many stones may a winning first move take at the fewest? "
                       "Answer with that number, or 0 if the first player loses.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.least = rng.randint(1, 3)
        self.most = self.least + rng.randint(1, 4)
        self.heap = rng.randint(8, 20 + 15 * difficulty)
        wins = []
        for heap in range(self.heap + 1):
            wins.append(next((take for take in range(self.least, self.most + 1) if take <= heap and not wins[heap - take]), 0))
        self.ref_answer = wins[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(least=self.least, most=self.most, heap=self.heap)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
