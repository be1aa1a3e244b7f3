class Sorting(VerifiableEnvironment):
    prompt_template = (
        "Sort these {N} numbers in ascending order; numbers that occur more than once stay as often:\n"
        "{numbers}\n"
        "Answer with all {N} numbers on one line, separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        N = grow(3, difficulty)
        array = sorted_array = []
        while array == sorted_array:
            array = [rng.randint(0, 5 * N) for _ in range(N)]
            sorted_array = sorted(array)
        self.parameter = {"N": N, "array": array}
        self.ref_answer = sorted_array

    def _prompt_generate(self):
        numbers = " ".join(map(str, self.parameter["array"]))
        return self.prompt_template.format(N=self.parameter["N"], numbers=numbers)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if len(parsed) != len(self.ref_answer):
            return -0.5
        matches = sum(a == b for a, b in zip(parsed, self.ref_answer))
        return share_reward(matches, len(parsed))
