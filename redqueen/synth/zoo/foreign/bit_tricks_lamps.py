# expect: sound
class LampPanel(VerifiableEnvironment):
    prompt_template = ("A panel has {n} lamps in a row, numbered from the right starting with 0. At first they show {start} "
                       "(1 is on, 0 is off; the leftmost digit is lamp {last}). Somebody presses the switches {presses}, in this "
                       "order. A switch toggles its own lamp and the lamps directly beside it. What does the panel show in "
                       "the end? Write the {n} digits without spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 4 + difficulty
        full = (1 << self.n) - 1
        state = rng.getrandbits(self.n)
        self.start = f"{state:0{self.n}b}"
        self.presses = [rng.randrange(self.n) for _ in range(3 + difficulty)]
        for lamp in self.presses:
            state ^= (0b111 << lamp >> 1) & full
        self.ref_answer = f"{state:0{self.n}b}"

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, start=self.start, last=self.n - 1,
                                           presses=", ".join(str(lamp) for lamp in self.presses))

    def _process(self, response):
        bits = response.strip()
        return bits if len(bits) == self.n and not set(bits) - {"0", "1"} else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
