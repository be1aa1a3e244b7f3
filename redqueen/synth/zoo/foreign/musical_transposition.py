# expect: sound
NOTES = "C C# D D# E F F# G G# A A# B".split()


class Transposition(VerifiableEnvironment):
    prompt_template = ("The twelve semitones are C C# D D# E F F# G G# A A# B, and then C again. Transpose the melody {melody} "
                       "{direction} by {steps} semitones. Write the notes with single spaces between them.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.melody = [rng.choice(NOTES) for _ in range(4 + 2 * difficulty)]
        self.steps = rng.randint(1, 11)
        self.direction = rng.choice(["up", "down"])
        shift = self.steps if self.direction == "up" else -self.steps
        self.ref_answer = " ".join(NOTES[(NOTES.index(note) + shift) % len(NOTES)] for note in self.melody)

    def _prompt_generate(self):
        return self.prompt_template.format(melody=" ".join(self.melody), direction=self.direction, steps=self.steps)

    def _process(self, response):
        notes = response.upper().split()
        return " ".join(notes) if notes and set(notes) <= set(NOTES) else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
