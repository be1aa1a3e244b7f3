# expect: sound
class CoprimeChain(VerifiableEnvironment):
    prompt_template = ("Consider the chain {chain}. Is every pair of neighbours coprime? Answer Yes or No, and if No, also the "
                       "position (from 1) of the left member of the first pair that is not: `No 3`.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        import math
        self.chain = [rng.randint(2, 99) for _ in range(3 + difficulty)]
        bad = [i for i, (a, b) in enumerate(zip(self.chain, self.chain[1:]), start=1) if math.gcd(a, b) != 1]
        self.ref_answer = f"No {bad[0]}" if bad else "Yes"

    def _prompt_generate(self):
        return self.prompt_template.format(chain=" - ".join(map(str, self.chain)))

    def _process(self, response):
        words = response.split()
        if words == ["Yes"]:
            return "Yes"
        return " ".join(words) if len(words) == 2 and words[0] == "No" and words[1].isdigit() else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
