# expect: sound
class FewestCoins(VerifiableEnvironment):
    prompt_template = "With coins of {coins}, each as often as you like, what is the fewest number of coins that pay {amount}? One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.coins = [1] + sorted(rng.sample(range(3, 20), 3))
        self.amount = rng.randint(10, 40 * (difficulty + 1))
        best = [0] + [None] * self.amount
        for total in range(1, self.amount + 1):
            best[total] = 1 + min(best[total - coin] for coin in self.coins if coin <= total)
        self.ref_answer = best[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(coins=self.coins, amount=self.amount)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
