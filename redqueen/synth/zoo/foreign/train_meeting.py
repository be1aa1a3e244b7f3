# expect: sound
class TrainMeeting(VerifiableEnvironment):
    prompt_template = ("{first} leaves Aville at {h:02d}:{m:02d} and drives at {v} km/h towards Bburg, {d} km away. {second} leaves Bburg at the "
                       "same moment and drives at {w} km/h towards Aville on the same road. At what time (HH:MM, 24-hour clock) do they "
                       "meet? Seconds are cut off.")
    PEOPLE = ("Ines", "Jamal", "Kofi", "Lucia", "Mei", "Nadia")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.first, self.second = rng.sample(self.PEOPLE, 2)
        self.h, self.m = rng.randint(5, 9), rng.randrange(60)
        self.v, self.w = (10 * rng.randint(4, 11) for _ in range(2))
        self.d = rng.randint(60, 99) * (1 + difficulty)
        minutes = self.h * 60 + self.m + self.d * 60 // (self.v + self.w)
        self.ref_answer = "%02d:%02d" % divmod(minutes, 60)

    def _prompt_generate(self):
        return self.prompt_template.format(first=self.first, second=self.second, h=self.h, m=self.m, v=self.v, w=self.w,
                                           d=self.d)

    def _process(self, response):
        hours, colon, minutes = response.strip().partition(":")
        if not (colon and hours.isdecimal() and minutes.isdecimal() and response.isascii() and len(minutes) == 2):
            return None
        return "%02d:%s" % (int(hours) % 100, minutes)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
