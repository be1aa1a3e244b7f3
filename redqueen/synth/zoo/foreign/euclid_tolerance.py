# expect: sound
import math


class FenceLength(VerifiableEnvironment):
    prompt_template = ("A meadow is a polygon with the corners {corners} (metres), in this order. How long is the fence around it? "
                       "Give metres with two decimal places; an error of up to 0.01 is tolerated.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 3 + difficulty
        self.corners = [(rng.randint(-50, 50), rng.randint(-50, 50)) for _ in range(n)]
        self.ref_answer = math.fsum(math.dist(self.corners[i - 1], self.corners[i]) for i in range(n))

    def _prompt_generate(self):
        return self.prompt_template.format(corners=", ".join(map(str, self.corners)))

    def _process(self, response):
        try:
            value = float(response)
        except ValueError:
            return None
        return value if math.isfinite(value) else None

    def scorer(self, parsed):
        return 1.0 if abs(parsed - self.ref_answer) <= 0.0101 else 0.0
