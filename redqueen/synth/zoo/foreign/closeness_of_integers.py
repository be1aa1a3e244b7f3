# expect: sound
class LogDistance(VerifiableEnvironment):
    prompt_template = ("A cyclist rides {days} days. On the first day she rides {start} km, and every further day {more} km more "
                       "than the day before. How many kilometres is the whole tour? Answer with an integer; close answers earn "
                       "a part of the points.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.days = rng.randint(5, 9) + 4 * difficulty
        self.start, self.more = rng.randint(10, 90), rng.randint(1, 12)
        self.ref_answer = sum(self.start + self.more * day for day in range(self.days))

    def _prompt_generate(self):
        return self.prompt_template.format(days=self.days, start=self.start, more=self.more)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        if parsed <= 0:
            return 0.0
        return (min(parsed, self.ref_answer) / max(parsed, self.ref_answer)) ** 10
