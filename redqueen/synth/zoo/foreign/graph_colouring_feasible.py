# expect: sound
class ThreeColours(VerifiableEnvironment):
    prompt_template = ("The radio masts 0 to {last} get frequencies from 0, 1 and 2. Masts that disturb each other need different "
                       "frequencies: {pairs}. Give the frequencies of all masts in order, separated by spaces; any assignment that "
                       "works is accepted.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 5 + difficulty
        hidden = [rng.randrange(3) for _ in range(n)]
        possible = [(i, j) for i in range(n) for j in range(i) if hidden[i] != hidden[j]]
        rng.shuffle(possible)
        self.pairs = possible[:2 * n]
        self.n = n
        self.ref_answer = hidden

    def _prompt_generate(self):
        return self.prompt_template.format(last=self.n - 1, pairs=", ".join(f"{i}-{j}" for i, j in self.pairs))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if len(parsed) != self.n or not all(0 <= colour < 3 for colour in parsed):
            return -0.5
        return 1.0 if all(parsed[i] != parsed[j] for i, j in self.pairs) else 0.0
