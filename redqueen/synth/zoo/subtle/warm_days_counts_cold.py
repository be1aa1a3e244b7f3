# expect: remark wording_differs
# The statement keeps what is above the bound, the code what is below.
class WarmDays(VerifiableEnvironment):
    prompt_template = "These temperatures were taken: {readings}. How many of them are above 15 degrees? Answer with one number."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.readings = [rng.randint(-20, 40) for _ in range(5 + 2 * difficulty)]
        self.ref_answer = len([t for t in self.readings if t < 16])

    def _prompt_generate(self):
        return self.prompt_template.format(readings=self.readings)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
