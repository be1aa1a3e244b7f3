# expect: sound
class Ranking(VerifiableEnvironment):
    prompt_template = ("Players and points: {points}. List the players in descending order of points (equal points: in alphabetical "
                       "order), separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        names = rng.sample(["ada", "ben", "cleo", "dan", "eve", "finn", "gus", "hal", "ivy", "jo", "kim", "lou"], min(12, 4 + difficulty))
        self.points = {name: rng.randint(0, 30) for name in names}
        self.ref_answer = " ".join(sorted(names, key=lambda name: (-self.points[name], name)))

    def _prompt_generate(self):
        return self.prompt_template.format(points=", ".join(f"{name} {p}" for name, p in self.points.items()))

    def _process(self, response):
        return " ".join(response.split()) or None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
