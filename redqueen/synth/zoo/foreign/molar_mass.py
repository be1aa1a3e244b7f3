# expect: sound
import re


class MolarMass(VerifiableEnvironment):
    MASSES = {"H": 1, "C": 12, "N": 14, "O": 16, "S": 32}
    prompt_template = ("Relative atomic masses, rounded: H = 1, C = 12, N = 14, O = 16, S = 32. What is the molecular mass of "
                       "{formula}? (C2H6O, say, has 2*12 + 6*1 + 16 = 46.)")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        elements = rng.sample(sorted(self.MASSES), min(5, 2 + difficulty // 2))
        self.formula = "".join(f"{element}{rng.randint(2, 9 + 3 * difficulty)}" for element in elements)
        self.ref_answer = sum(self.MASSES[element] * int(count) for element, count in re.findall(r"([A-Z])(\d+)", self.formula))

    def _prompt_generate(self):
        return self.prompt_template.format(formula=self.formula)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
