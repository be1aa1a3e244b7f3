# expect: remark wording_differs
# Asked for the lowest, it adds up those below a bound.
class Hills(VerifiableEnvironment):
    prompt_template = "Hills are {heights} metres high. How high is the lowest of those below 500 metres? Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.heights = [rng.randint(100, 999) for _ in range(3 + difficulty)]
        total = 0
        for height in self.heights:
            if height < 500:
                total += height
        self.ref_answer = total

    def _prompt_generate(self):
        return self.prompt_template.format(heights=self.heights)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
