class EuclidGame(VerifiableEnvironment):
    prompt_template = (
        "Stan and Ollie play with two numbers, {X} and {Y}. They take turns, and Stan begins. In a turn, the player "
        "subtracts a positive integer multiple of one of the two numbers from the other one, which is replaced by "
        "the result; the result must not be negative. The player who makes a number zero wins. Both play as well as "
        "possible. Who wins?\n"
        "Answer with one name: Stan or Ollie.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        bound = 16 * 2 ** min(difficulty, 58)
        # The winner is who makes the first free move, so the number of forced moves before it decides. Before
        # k forced moves, (a, b) with a <= b was (F(k+1) b + F(k) a, F(k) b + F(k-1) a), F being Fibonacci's.
        fibonacci = [0, 1]
        while 2 * fibonacci[-1] + fibonacci[-2] <= bound // 2:
            fibonacci.append(fibonacci[-1] + fibonacci[-2])
        longest = len(fibonacci) - 3
        odd = rng.randrange(2)
        forced = 2 * rng.randint(0, (longest - odd) // 2) + odd
        f, g = fibonacci[forced + 1], fibonacci[forced]
        smaller = rng.randint(1, bound // (2 * f + g))
        larger = rng.randint(2 * smaller, (bound - g * smaller) // f)
        for _ in range(forced):
            smaller, larger = larger, larger + smaller
        pair = [smaller, larger]
        rng.shuffle(pair)
        self.parameter = {"MAX_X_Y": bound, "X": pair[0], "Y": pair[1]}
        self.ref_answer = ("Stan", "Ollie")[odd]

    def _prompt_generate(self):
        return self.prompt_template.format(X=self.parameter["X"], Y=self.parameter["Y"])

    def _process(self, response):
        return response.strip()

    def scorer(self, parsed):
        if parsed not in ("Stan", "Ollie"):
            return -0.5
        return 1.0 if parsed == self.ref_answer else 0.0
