# expect: L5 exact_float
# A square root has to be given to the last bit.
import math


class Hypotenuse(VerifiableEnvironment):
    prompt_template = "The legs of a right triangle measure {a} and {b}. How long is its hypotenuse? Answer with a number."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.a = rng.randint(2, 10 + 10 * difficulty)
        self.b = rng.randint(2, 10 + 10 * difficulty)
        self.ref_answer = math.sqrt(self.a * self.a + self.b * self.b)

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b)

    def _process(self, response):
        try:
            return float(response)
        except ValueError:
            return None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
