# expect: sound
# Several right answers; some steps away from the reference are right too.
class CoinChange(VerifiableEnvironment):
    prompt_template = "Coins of {coins} are there in any number. Pay exactly {amount} with at most {most} coins. Answer with the coins, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.coins = sorted(rng.sample(range(2, 12 + 3 * difficulty), 4))
        chosen = [rng.choice(self.coins) for _ in range(3 + difficulty)]
        self.amount, self.most = sum(chosen), len(chosen)
        self.ref_answer = chosen

    def _prompt_generate(self):
        return self.prompt_template.format(coins=self.coins, amount=self.amount, most=self.most)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if not parsed or any(coin not in self.coins for coin in parsed):
            return -0.5
        return 1.0 if sum(parsed) == self.amount and len(parsed) <= self.most else 0.0
