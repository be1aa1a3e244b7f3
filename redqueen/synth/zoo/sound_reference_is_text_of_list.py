# expect: sound
# The reference is kept as text, the answer is read as a list.
class RunLengths(VerifiableEnvironment):
    prompt_template = "Give the lengths of the runs of equal letters in {text}, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        lengths = [rng.randint(1, 4) for _ in range(2 + difficulty)]
        self.text = "".join("ab"[i % 2] * length for i, length in enumerate(lengths))
        self.ref_answer = " ".join(map(str, lengths))

    def _prompt_generate(self):
        return self.prompt_template.format(text=self.text)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        expected = [int(x) for x in self.ref_answer.split()]
        return 1.0 if parsed == expected else 0.0
