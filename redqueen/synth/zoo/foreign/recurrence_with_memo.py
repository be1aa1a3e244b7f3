# expect: sound
from functools import lru_cache


class SequenceT(VerifiableEnvironment):
    prompt_template = ("T(1) = {a}, T(2) = {b}, T(3) = {c}, and T(k) = T(k-1) + T(k-2) - T(k-3) for k > 3. "
                       "Compute T({n}).")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.a, self.b, self.c = (rng.randint(-9, 9) for _ in range(3))
        self.n = rng.randint(4, 8 + 3 * difficulty)
        first = {1: self.a, 2: self.b, 3: self.c}

        @lru_cache(maxsize=None)
        def t(k):
            return first[k] if k in first else t(k - 1) + t(k - 2) - t(k - 3)

        self.ref_answer = t(self.n)

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b, c=self.c, n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
