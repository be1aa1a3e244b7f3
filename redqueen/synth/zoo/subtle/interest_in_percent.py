# expect: sound
class Interest(VerifiableEnvironment):
    prompt_template = ("An account holds {start} coins. At the end of every year {rate} percent of it, rounded down to whole coins, are added. "
                       "How many coins are there after {years} years? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.start, self.rate, self.years = rng.randint(100, 900), rng.randint(3, 12), rng.randint(2, 3 + difficulty)
        coins = self.start
        for _ in range(self.years):
            coins += coins * self.rate // 100
        self.ref_answer = coins

    def _prompt_generate(self):
        return self.prompt_template.format(start=self.start, rate=self.rate, years=self.years)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
