# expect: L5 hidden_parameter
# Prices are drawn, used and not shown.
class Shopping(VerifiableEnvironment):
    goods = ("apples", "bread", "cheese", "dates")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        prices = {name: rng.randint(2, 9) for name in self.goods}
        self.basket = [(name, rng.randint(1, 3 + difficulty)) for name in self.goods]
        self.ref_answer = sum(prices[name] * count for name, count in self.basket)

    def _prompt_generate(self):
        items = ", ".join(f"{count} {name}" for name, count in self.basket)
        return f"Someone buys {items}. What is due at the till? Answer with one integer."

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
