# expect: sound
class GridPath(VerifiableEnvironment):
    prompt_template = "In this grid, # is a wall:\n{grid}\nGive moves (letters U, D, L, R) from the upper left to the lower right corner."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 3 + difficulty
        moves = ["D"] * (n - 1) + ["R"] * (n - 1)
        rng.shuffle(moves)
        free, r, c = {(0, 0)}, 0, 0
        for move in moves:
            r, c = (r + 1, c) if move == "D" else (r, c + 1)
            free.add((r, c))
        self.grid = ["".join("." if (i, j) in free or rng.random() < 0.4 else "#" for j in range(n)) for i in range(n)]
        self.ref_answer = "".join(moves)

    def _prompt_generate(self):
        return self.prompt_template.format(grid="\n".join(self.grid))

    def _process(self, response):
        moves = response.strip().upper()
        return moves if moves and set(moves) <= set("UDLR") else None

    def scorer(self, parsed):
        n, r, c = len(self.grid), 0, 0
        for move in parsed:
            r, c = r + (move == "D") - (move == "U"), c + (move == "R") - (move == "L")
            if not (0 <= r < n and 0 <= c < n) or self.grid[r][c] == "#":
                return -0.5
        return 1.0 if (r, c) == (n - 1, n - 1) else 0.0
