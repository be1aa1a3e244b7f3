# expect: sound
import math


class LinearSystem(VerifiableEnvironment):
    prompt_template = r"""Let $x$ and $y$ be integers with
$$
\begin{{aligned}}
{a}x + {b}y &= {e} \\
{c}x + {d}y &= {f}
\end{{aligned}}
$$
Determine $(x, y)$. Output **two integers** separated by a space (do NOT include quotes or backticks)."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        bound = 6 + 5 * difficulty
        while True:
            self.m = [rng.randint(1, bound) for _ in range(4)]
            if self.m[0] * self.m[3] != self.m[1] * self.m[2]:
                break
        x, y = rng.randint(-bound, bound), rng.randint(-bound, bound)
        self.rhs = [self.m[0] * x + self.m[1] * y, self.m[2] * x + self.m[3] * y]
        self.ref_answer = [x, y]

    def _prompt_generate(self):
        a, b, c, d = self.m
        return self.prompt_template.format(a=a, b=b, c=c, d=d, e=self.rhs[0], f=self.rhs[1])

    def _process(self, response):
        pair = parse_int_list(response)
        return pair if pair is not None and len(pair) == 2 else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
