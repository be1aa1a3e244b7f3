# expect: sound
class PrefixSums(VerifiableEnvironment):
    prompt_template = "Give the list of prefix sums of {A}, in brackets as above."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = [rng.randint(-9, 9) for _ in range(3 + difficulty)]
        self.ref_answer = [sum(self.A[:i + 1]) for i in range(len(self.A))]

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        text = response.strip()
        if not (text.startswith("[") and text.endswith("]")):
            return None
        try:
            return [int(part) for part in text[1:-1].split(",")]
        except ValueError:
            return None

    def scorer(self, parsed):
        if len(parsed) != len(self.ref_answer):
            return -0.5
        return sum(a == b for a, b in zip(parsed, self.ref_answer)) / len(parsed)
