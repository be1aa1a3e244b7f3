# expect: sound
class PolynomialProduct(VerifiableEnvironment):
    prompt_template = "Expand ({p}) * ({q}). Give only the coefficients of the result, from the constant term up to the highest power of x, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        draw = lambda degree: [rng.randint(-5, 5) for _ in range(degree)] + [rng.choice([-2, -1, 1, 2, 3])]
        p, q = draw(1 + difficulty // 2), draw(1 + (difficulty + 1) // 2)
        self.p, self.q = self.text(p), self.text(q)
        self.ref_answer = [0] * (len(p) + len(q) - 1)
        for i, a in enumerate(p):
            for j, b in enumerate(q):
                self.ref_answer[i + j] += a * b

    @staticmethod
    def text(coefficients):
        return " + ".join(f"({a})x^{i}" if i else f"({a})" for i, a in enumerate(coefficients) if a)

    def _prompt_generate(self):
        return self.prompt_template.format(p=self.p, q=self.q)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
