# expect: sound
class AboveThreshold(VerifiableEnvironment):
    """How many measurements lie above a limit that is part of the problem."""

    def _generate(self, seed: int, difficulty: int) -> None:
        rng = Random(seed)
        count = grow(5, difficulty)
        readings = [rng.randint(0, 90) for _ in range(count)]
        self.parameter = {"readings": readings, "limit": rng.randint(20, 70)}
        self.ref_answer = sum(1 for value in readings if value > self.parameter["limit"])

    def _prompt_generate(self) -> str:
        readings = ", ".join(str(value) for value in self.parameter["readings"])
        return (f"A sensor reported {readings}. How many of these readings are above {self.parameter['limit']}? "
                "Give the count as an integer.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return float(parsed == self.ref_answer)
