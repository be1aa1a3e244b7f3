# expect: sound
class HanoiStep(VerifiableEnvironment):
    prompt_template = (
        "The Tower of Hanoi with {n} discs stands on peg A. The shortest solution moves it to peg C with the help of peg B. "
        "Which move is number {k} of that solution (the first one has number 1)? Answer with two letters, the peg that a "
        "disc is taken from and the peg that it is put on, such as AB.")

    def _moves(self, n, source, target, spare):
        if n == 0:
            return
        yield from self._moves(n - 1, source, spare, target)
        yield source + target
        yield from self._moves(n - 1, spare, target, source)

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 3 + min(difficulty, 7)
        moves = list(self._moves(self.n, "A", "C", "B"))
        self.k = rng.randint(1, len(moves))
        self.ref_answer = moves[self.k - 1]

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, k=self.k)

    def _process(self, response):
        text = response.strip().upper().replace(" ", "")
        return text if len(text) == 2 and set(text) <= set("ABC") else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
