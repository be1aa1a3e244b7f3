# expect: sound
# The bound is stated in words.
class Parcels(VerifiableEnvironment):
    prompt_template = "Parcels weigh {weights} kilograms. Those of more than thirty kilograms travel by lorry. What do they weigh in all? Answer with one number."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.weights = [rng.randint(1, 60) for _ in range(4 + 2 * difficulty)]
        self.ref_answer = sum(w for w in self.weights if w > 30)

    def _prompt_generate(self):
        return self.prompt_template.format(weights=self.weights)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
