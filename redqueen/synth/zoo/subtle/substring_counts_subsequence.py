# expect: sound, though faulty
# Substrings are asked for, subsequences are counted.
class DistinctParts(VerifiableEnvironment):
    prompt_template = "How many different non-empty substrings does {text} have? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.text = "".join(rng.choice("ab") for _ in range(4 + difficulty))
        found = {""}
        for letter in self.text:
            found |= {part + letter for part in found}
        self.ref_answer = len(found) - 1

    def _prompt_generate(self):
        return self.prompt_template.format(text=self.text)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
