# expect: sound, though faulty
# Mechanically sound: claims the optimum but computes a greedy value. Only the semantic review can see that.
class GreedyCoins(VerifiableEnvironment):
    prompt_template = "With coins of {coins}, what is the fewest number of coins that pay {amount}?"

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.coins = [1] + sorted(rng.sample(range(3, 20), 3))
        self.amount = rng.randint(10, 40 * (difficulty + 1))
        left, count = self.amount, 0
        for coin in reversed(self.coins):
            count += left // coin
            left %= coin
        self.ref_answer = count

    def _prompt_generate(self):
        return self.prompt_template.format(coins=self.coins, amount=self.amount)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
