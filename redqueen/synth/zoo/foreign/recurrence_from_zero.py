# expect: sound
class SequenceS(VerifiableEnvironment):
    prompt_template = ("A sequence is given by S(1) = {s[0]}, S(2) = {s[1]}, S(3) = {s[2]} and, for k > 3, "
                       "S(k) = 2 S(k-1) - S(k-3). What is S({n})?")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.s = [rng.randint(1, 12) for _ in range(3)]
        self.n = rng.randint(5, 9 + 2 * difficulty)
        t = list(self.s)
        while len(t) < self.n:
            t.append(2 * t[-1] - t[-3])
        self.ref_answer = t[self.n - 1]

    def _prompt_generate(self):
        return self.prompt_template.format(s=self.s, n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
