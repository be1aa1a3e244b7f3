# expect: sound
import re


class LinearPair(VerifiableEnvironment):
    prompt_template = "Solve x + y = {s} and x - y = {d}. Answer in the form x=1; y=2."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        bound = 10 * 3 ** difficulty
        x, y = rng.randint(-bound, bound), rng.randint(-bound, bound)
        self.s, self.d = x + y, x - y
        self.ref_answer = {"x": x, "y": y}

    def _prompt_generate(self):
        return self.prompt_template.format(s=self.s, d=self.d)

    def reference_text(self):
        return "x={x}; y={y}".format(**self.ref_answer)

    def _process(self, response):
        match = re.fullmatch(r"\s*x\s*=\s*(-?\d+)\s*;\s*y\s*=\s*(-?\d+)\s*", response)
        return {"x": int(match[1]), "y": int(match[2])} if match else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
