# expect: sound
from collections import deque


class KnightDistance(VerifiableEnvironment):
    prompt_template = ("On an otherwise empty {size} x {size} chessboard a knight stands on column {c}, row {r} (both counted from 1). "
                       "How many squares can it reach with at most {k} jumps? Its own square counts.")
    JUMPS = [(dx, dy) for dx in (-2, -1, 1, 2) for dy in (-2, -1, 1, 2) if abs(dx) != abs(dy)]

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.size = rng.randint(5, 7) + difficulty
        self.c, self.r = rng.randint(1, self.size), rng.randint(1, self.size)
        self.k = rng.randint(1, 2 + difficulty // 3)
        depth = {(self.c, self.r): 0}
        queue = deque(depth)
        while queue:
            x, y = queue.popleft()
            if depth[x, y] == self.k:
                continue
            for dx, dy in self.JUMPS:
                square = x + dx, y + dy
                if square not in depth and all(1 <= value <= self.size for value in square):
                    depth[square] = depth[x, y] + 1
                    queue.append(square)
        self.ref_answer = len(depth)

    def _prompt_generate(self):
        return self.prompt_template.format(size=self.size, c=self.c, r=self.r, k=self.k)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
