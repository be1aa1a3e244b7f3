class SlidingWindow(VerifiableEnvironment):
    prompt_template = (
        "A window of {K} consecutive elements slides over this list of {N} integers:\n"
        "{numbers}\n"
        "Give the smallest element of each of the {windows} windows, from the leftmost to the rightmost.\n"
        "Answer with these {windows} numbers on one line, separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        N = grow(5, difficulty)
        minima = []
        while len(set(minima)) < 2:
            K = rng.randint(2, max(3, N // 3))
            A = [rng.randint(-(N // 20), N) for _ in range(N)]
            minima = [min(A[i:i + K]) for i in range(N - K + 1)]
        self.parameter = {"N": N, "K": K, "A": A}
        self.ref_answer = minima

    def _prompt_generate(self):
        N, K, A = self.parameter["N"], self.parameter["K"], self.parameter["A"]
        return self.prompt_template.format(N=N, K=K, numbers=" ".join(map(str, A)), windows=N - K + 1)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if len(parsed) != len(self.ref_answer):
            return -0.5
        matches = sum(a == b for a, b in zip(parsed, self.ref_answer))
        return share_reward(matches, len(parsed))
