# expect: sound
class LifeAfterSteps(VerifiableEnvironment):
    prompt_template = """Conway's Game of Life on a torus (the edges wrap around). `o` is alive, `.` is dead:

{board}

A live cell survives with two or three live neighbours, a dead cell comes alive with exactly three. How many cells are alive after
{steps} generations?"""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.size, self.steps = 4 + difficulty // 2, 1 + difficulty // 3
        alive = {(r, c) for r in range(self.size) for c in range(self.size) if rng.random() < 0.4}
        self.board = ["".join("o" if (r, c) in alive else "." for c in range(self.size)) for r in range(self.size)]
        for _ in range(self.steps):
            alive = self._next(alive)
        self.ref_answer = len(alive)

    def _next(self, alive):
        around = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
        born = set()
        for r in range(self.size):
            for c in range(self.size):
                count = sum(((r + a) % self.size, (c + b) % self.size) in alive for a, b in around)
                if count == 3 or count == 2 and (r, c) in alive:
                    born.add((r, c))
        return born

    def _prompt_generate(self):
        return self.prompt_template.format(board="\n".join(self.board), steps=self.steps)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
