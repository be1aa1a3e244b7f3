# expect: sound
class Fahrenheit(VerifiableEnvironment):
    """The factor and the offset are what every reader knows."""
    prompt_template = ("A weather service reports these temperatures in degrees Celsius: {celsius}. Convert each to degrees Fahrenheit. Answer with "
                       "the integers in the same order, separated by spaces (all values are whole).")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.celsius = [5 * rng.randint(-8, 12 + difficulty) for _ in range(2 + difficulty)]
        self.ref_answer = [c * 9 // 5 + 32 for c in self.celsius]

    def _prompt_generate(self):
        return self.prompt_template.format(celsius=", ".join(map(str, self.celsius)))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
