# expect: sound
class CentreOfMass(VerifiableEnvironment):
    prompt_template = "Weights hang on a bar (position in cm: mass in g): {weights}. At which position does the bar balance? Three decimals suffice."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        positions = sorted(rng.sample(range(100), 3 + difficulty))
        self.weights = [(position, rng.randint(1, 40)) for position in positions]
        self.ref_answer = sum(p * w for p, w in self.weights) / sum(w for _, w in self.weights)

    def _prompt_generate(self):
        return self.prompt_template.format(weights=", ".join(f"{p}: {w}" for p, w in self.weights))

    def _process(self, response):
        try:
            return float(response.strip())
        except ValueError:
            return None

    def scorer(self, parsed):
        return 1.0 if abs(parsed - self.ref_answer) < 1e-3 else 0.0
