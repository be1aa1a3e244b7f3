# expect: sound
class ListTask(VerifiableEnvironment):
    """What the list tasks of this file share."""
    question = ""

    def solve(self):
        raise NotImplementedError

    def _generate(self, seed, difficulty):
        self.rng = Random(seed)
        self.values = [self.rng.randint(0, 50) for _ in range(6 + 3 * difficulty)]
        self.ref_answer = self.solve()
        del self.rng

    def _prompt_generate(self):
        return f"{self.question}\n\nNumbers: {self.values}"

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


class WaterContainer(ListTask):
    question = ("Each number is the height of a wall of width 1 in a row without gaps. How many units of rain water stay between "
                "the walls after a long rain? Respond with an integer.")

    def solve(self):
        total = 0
        for index, height in enumerate(self.values):
            left, right = max(self.values[:index + 1]), max(self.values[index:])
            total += min(left, right) - height
        return total
