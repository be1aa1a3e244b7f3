# expect: sound
class WayThroughMaze(VerifiableEnvironment):
    prompt_template = """Here is a maze. `#` is a wall, `.` is free, `S` is the start and `G` is the goal:

```
{maze}
```

Find **any** way from S to G that never leaves the maze and never enters a wall. Output the moves as a single word of the letters
`U`, `D`, `L`, `R` (up, down, left, right)."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        height = width = 4 + difficulty
        cells = {(0, 0)}
        moves, row, column = "", 0, 0
        while (row, column) != (height - 1, width - 1):
            step = rng.choice([s for s in "DR" if (row < height - 1 if s == "D" else column < width - 1)])
            row, column = row + (step == "D"), column + (step == "R")
            moves += step
            cells.add((row, column))
        rows = [["." if (r, c) in cells or rng.random() < 0.5 else "#" for c in range(width)] for r in range(height)]
        rows[0][0], rows[-1][-1] = "S", "G"
        self.maze = ["".join(line) for line in rows]
        self.ref_answer = moves

    def _prompt_generate(self):
        return self.prompt_template.format(maze="\n".join(self.maze))

    def _process(self, response):
        moves = response.strip().upper()
        return moves if moves and not set(moves) - set("UDLR") and len(moves) <= 10000 else None

    def scorer(self, parsed):
        row = column = 0
        for move in parsed:
            row += {"U": -1, "D": 1}.get(move, 0)
            column += {"L": -1, "R": 1}.get(move, 0)
            if not (0 <= row < len(self.maze) and 0 <= column < len(self.maze[0])) or self.maze[row][column] == "#":
                return -0.5
        return 1.0 if self.maze[row][column] == "G" else 0.0
