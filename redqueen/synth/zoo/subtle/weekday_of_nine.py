# expect: remark number_not_in_prompt
# The week of the code has nine days.
class Weekday(VerifiableEnvironment):
    prompt_template = "The days of a week are numbered from 0 to 6. Today is day {today}. Which day is it in {days} days? One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.today = rng.randrange(7)
        self.days = rng.randint(5, 50 * (difficulty + 1))
        self.ref_answer = (self.today + self.days) % 9

    def _prompt_generate(self):
        return self.prompt_template.format(today=self.today, days=self.days)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
