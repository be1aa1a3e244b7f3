# expect: sound
class WeekdayArithmetic(VerifiableEnvironment):
    prompt_template = ("In the calendar of the moon colony every week has the days {days}, and every month has exactly {length} days. Day 1 of month "
                       "1 is a {first}. Which weekday is day {d} of month {m}?")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        pool = ["Ald", "Bor", "Cim", "Dar", "Ek", "Fus", "Gol", "Hin", "Ist"]
        self.days = pool[:rng.randint(5, 9)]
        self.length = rng.randint(20, 33)
        self.first = rng.choice(self.days)
        self.m, self.d = rng.randint(2, 4 + 3 * difficulty), rng.randint(1, self.length)
        passed = (self.m - 1) * self.length + self.d - 1
        self.ref_answer = self.days[(self.days.index(self.first) + passed) % len(self.days)]

    def _prompt_generate(self):
        return self.prompt_template.format(days=", ".join(self.days), length=self.length, first=self.first, d=self.d, m=self.m)

    def _process(self, response):
        word = response.strip()
        return word if word in self.days else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
