# expect: L1 bad_signature
# The prompt is handed the problem, the scorer is not.
class SumTask(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        numbers = [rng.randint(1, 50) for _ in range(2 + 2 * difficulty)]
        return numbers, sum(numbers)

    def _prompt_generate(self, numbers):
        return f"What is the sum of {numbers}? Answer with one integer."

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
