# expect: sound
# A running minimum in a loop.
class Hills(VerifiableEnvironment):
    prompt_template = "Hills are {heights} metres high. How high is the lowest of them? Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.heights = [rng.randint(100, 999) for _ in range(3 + difficulty)]
        lowest = self.heights[0]
        for height in self.heights:
            if height < lowest:
                lowest = height
        self.ref_answer = lowest

    def _prompt_generate(self):
        return self.prompt_template.format(heights=self.heights)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
