# expect: sound
from functools import lru_cache


class StonePiles(VerifiableEnvironment):
    prompt_template = ("Stan and Ollie play with a row of stones worth {stones}. In turn, each takes the leftmost or the rightmost stone; Stan begins. "
                       "Both play optimally, that is, each maximises the difference between his own total and the other's. By how much is Stan ahead "
                       "at the end (negative if he is behind)?")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.stones = tuple(rng.randint(1, 20) for _ in range(4 + difficulty))

        @lru_cache(None)
        def lead(i, j):
            return 0 if i > j else max(self.stones[i] - lead(i + 1, j), self.stones[j] - lead(i, j - 1))

        self.ref_answer = lead(0, len(self.stones) - 1)

    def _prompt_generate(self):
        return self.prompt_template.format(stones=", ".join(map(str, self.stones)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
