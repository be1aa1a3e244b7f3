# expect: sound
class Transpose(VerifiableEnvironment):
    prompt_template = "Transpose this matrix:\n{rows}\nAnswer with one row a line, numbers separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n, m = rng.sample(range(2, 5 + difficulty), 2)
        self.M = [[rng.randint(0, 99) for _ in range(m)] for _ in range(n)]
        self.ref_answer = [list(column) for column in zip(*self.M)]

    def _prompt_generate(self):
        return self.prompt_template.format(rows="\n".join(" ".join(map(str, row)) for row in self.M))

    def _process(self, response):
        return parse_int_rows(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
