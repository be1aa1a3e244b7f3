# expect: sound
class Brackets(VerifiableEnvironment):
    prompt_template = "How many characters must at least be deleted from {text} so that its brackets are balanced? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.text = "".join(rng.choice("()") for _ in range(6 + 3 * difficulty))
        depth = extra = 0
        for c in self.text:
            if c == "(":
                depth += 1
            elif depth > 0:
                depth -= 1
            else:
                extra += 1
        self.ref_answer = depth + extra

    def _prompt_generate(self):
        return self.prompt_template.format(text=self.text)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
