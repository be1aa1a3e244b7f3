# expect: sound
import math
import re


class TriangleArea(VerifiableEnvironment):
    prompt_template = "A triangle has the corners {corners}. Give its area with two decimals."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        span = 5 * (difficulty + 1)
        while True:
            self.corners = [(rng.randint(-span, span), rng.randint(-span, span)) for _ in range(3)]
            (a, b), (c, d), (e, f) = self.corners
            self.ref_answer = abs((c - a) * (f - b) - (e - a) * (d - b)) / 2.0
            if self.ref_answer > 0:
                break

    def _prompt_generate(self):
        return self.prompt_template.format(corners=", ".join(map(str, self.corners)))

    def _process(self, response):
        return float(response) if re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", response) else None

    def scorer(self, parsed):
        return 1.0 if math.isclose(parsed, self.ref_answer, abs_tol=0.006) else 0.0
