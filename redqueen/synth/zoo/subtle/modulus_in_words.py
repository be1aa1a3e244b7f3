# expect: sound
MOD = 10 ** 9 + 7


class Paths(VerifiableEnvironment):
    prompt_template = (
        "A robot stands in the top left cell of a grid with {rows} rows and {columns} columns and moves right or down, one "
        "cell at a time. How many ways lead to the bottom right cell? Give the number modulo 10^9 + 7, as one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.rows = rng.randint(2, 4 + 3 * difficulty)
        self.columns = rng.randint(2, 4 + 3 * difficulty)
        ways = [1] * self.columns
        for _ in range(self.rows - 1):
            for column in range(1, self.columns):
                ways[column] = (ways[column] + ways[column - 1]) % MOD
        self.ref_answer = ways[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(rows=self.rows, columns=self.columns)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
