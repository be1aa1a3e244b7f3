# expect: sound
class BalancedPrefix(VerifiableEnvironment):
    prompt_template = "Give the longest prefix of {text} that is a balanced sequence of brackets; there is one of at least two brackets."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        pairs = []
        for _ in range(2 + difficulty):
            pairs.append(rng.choice(["()", "[]", "([])", "[()]"]))
        self.ref_answer = "".join(pairs)
        self.text = self.ref_answer + rng.choice("([") + "".join(rng.choice("([") for _ in range(1 + difficulty))

    def _prompt_generate(self):
        return self.prompt_template.format(text=self.text)

    def _process(self, response):
        text = response.strip()
        return text if text and set(text) <= set("()[]") else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
