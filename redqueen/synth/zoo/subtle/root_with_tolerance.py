# expect: sound
import math


class Hypotenuse(VerifiableEnvironment):
    prompt_template = "The legs of a right triangle measure {a} and {b}. How long is its hypotenuse? Give three decimals."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.a = rng.randint(2, 10 + 10 * difficulty)
        self.b = rng.randint(2, 10 + 10 * difficulty)
        self.ref_answer = math.hypot(self.a, self.b)

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b)

    def _process(self, response):
        try:
            value = float(response)
        except ValueError:
            return None
        return value if math.isfinite(value) else None

    def scorer(self, parsed):
        return 1.0 if abs(parsed - self.ref_answer) <= 0.0006 else 0.0
