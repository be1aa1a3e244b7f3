# expect: remark wording_differs
# Nothing tells that light parcels do not count.
class Parcels(VerifiableEnvironment):
    prompt_template = "Parcels weigh {weights} kilograms. What do the parcels weigh in all? Answer with one number."

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
