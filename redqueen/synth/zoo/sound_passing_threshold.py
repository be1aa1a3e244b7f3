# expect: sound
# Says itself from which score an answer counts as right.
class TourLength(VerifiableEnvironment):
    prompt_template = "Points on a line: {points}. Give an order of their indices, from 0, whose walk is at most {bound} long."
    passing = 0.5

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 5 + difficulty
        self.points = rng.sample(range(20 * n), n)
        self.ref_answer = sorted(range(n), key=lambda i: self.points[i])
        self.bound = max(self.points) - min(self.points)

    def _prompt_generate(self):
        return self.prompt_template.format(points=self.points, bound=self.bound)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if sorted(parsed) != list(range(len(self.points))):
            return -1
        walk = sum(abs(self.points[a] - self.points[b]) for a, b in zip(parsed, parsed[1:]))
        return 0.5 if walk <= self.bound else 0
