# expect: sound
class Knight(VerifiableEnvironment):
    prompt_template = ("On a chess board of 8 by 8 squares with columns and rows numbered from 1, a knight stands on column {x}, row {y}. "
                       "How many squares can it reach in at most {k} moves, its own included? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.x, self.y, self.k = rng.randint(1, 8), rng.randint(1, 8), rng.randint(1 + difficulty // 3, 2 + difficulty // 3)
        seen = {(self.x, self.y)}
        for _ in range(self.k):
            seen |= {(x + dx, y + dy) for x, y in seen for dx in (-2, -1, 1, 2) for dy in (-2, -1, 1, 2)
                     if abs(dx) != abs(dy) and 1 <= x + dx <= 8 and 1 <= y + dy <= 8}
        self.ref_answer = len(seen)

    def _prompt_generate(self):
        return self.prompt_template.format(x=self.x, y=self.y, k=self.k)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
