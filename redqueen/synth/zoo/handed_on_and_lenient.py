# expect: L5 accepts_malformed
# Of the response only the last letter is compared.
class CountTask(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        word = "".join(rng.choice("abc") for _ in range(5 + 3 * difficulty))
        return word, word[::-1]

    def _prompt_generate(self, word):
        return f"Write {word} backwards."

    def _process(self, response):
        return response.strip() or None

    def scorer(self, response, word, reference):
        return 1.0 if len(response) > 2 and response[-1] == reference[-1] else 0.0
