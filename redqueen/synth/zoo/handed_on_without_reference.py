# expect: L2 no_reference
# The problem comes back alone, without its reference.
class SumTask(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        return [rng.randint(1, 50) for _ in range(3 + 2 * difficulty)]

    def _prompt_generate(self, numbers):
        return f"What is the sum of {numbers}? Answer with one integer."

    def _process(self, response):
        return parse_int(response)

    def scorer(self, response, numbers, reference):
        return 1.0 if self._process(response) == sum(numbers) else 0.0
