# expect: sound
class Clock(VerifiableEnvironment):
    prompt_template = "A clock shows {hour}:{minute:02d}. Which time does it show {later} minutes later? Answer in the form 7:05, from 0:00 to 23:59."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.hour, self.minute = rng.randrange(24), rng.randrange(60)
        self.later = rng.randint(30, 200 * (difficulty + 1) ** 2)
        total = (60 * self.hour + self.minute + self.later) % 1440
        self.ref_answer = f"{total // 60}:{total % 60:02d}"

    def _prompt_generate(self):
        return self.prompt_template.format(hour=self.hour, minute=self.minute, later=self.later)

    def _process(self, response):
        return response.strip() or None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
