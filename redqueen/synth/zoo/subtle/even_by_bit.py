# expect: sound
class EvenSum(VerifiableEnvironment):
    prompt_template = "Add up the even numbers of this table and give the total as one integer.\n{table}"

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        side = 2 + difficulty
        self.rows = [[rng.randint(1, 60) for _ in range(side)] for _ in range(side)]
        self.ref_answer = sum(x for row in self.rows for x in row if not x & 1)

    def _prompt_generate(self):
        return self.prompt_template.format(table="\n".join(" ".join(map(str, row)) for row in self.rows))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
