# expect: sound
class TwoCoinsEnv(VerifiableEnvironment):
    """The problem is a dictionary; whoever finds another pair of coins is right, too."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        coins = rng.sample(range(1, 40 + 20 * difficulty), 6 + 2 * difficulty)
        a, b = rng.sample(coins, 2)
        return {"coins": coins, "price": a + b}, [a, b]

    def _prompt_generate(self, z):
        return ("A machine takes exactly two different coins of this purse: {coins}. The ticket costs {price}. "
                "Which two coins pay for it? Write both, with a space between them.").format(**z)

    def _process(self, y):
        return parse_int_list(y)

    def scorer(self, y, z, a):
        given = self._process(y)
        if given is None or len(given) != 2 or given[0] == given[1]:
            return 0.0
        return 1.0 if set(given) <= set(z["coins"]) and sum(given) == z["price"] else 0.0
