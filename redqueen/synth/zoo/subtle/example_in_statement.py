# expect: sound
class Pairing(VerifiableEnvironment):
    prompt_template = ("Sort the {count} fractions {fractions} in ascending order. Answer in lowest terms, separated by spaces, for example "
                       "1/3 2/5 3/4.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        found = set()
        while len(found) < 3 + difficulty:
            bottom = rng.randint(3, 12 + 2 * difficulty)
            top = rng.randint(1, bottom - 1)
            for d in range(top, 1, -1):
                if top % d == 0 and bottom % d == 0:
                    top, bottom = top // d, bottom // d
            found.add((top, bottom))
        items = sorted(found)
        rng.shuffle(items)
        self.fractions = items
        self.ref_answer = " ".join(f"{a}/{b}" for a, b in sorted(items, key=lambda item: item[0] / item[1]))

    def _prompt_generate(self):
        return self.prompt_template.format(count=len(self.fractions), fractions=", ".join(f"{a}/{b}" for a, b in self.fractions))

    def _process(self, response):
        return " ".join(response.split()) or None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
