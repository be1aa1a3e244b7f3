class SubsetSum(VerifiableEnvironment):
    prompt_template = (
        "Choose some of these {N} numbers, each at most once, so that their sum is exactly {target}:\n"
        "{numbers}\n"
        "It can be done; any such choice is right.\n"
        "Answer with the indices (not the values) of the chosen numbers in any order on one line, separated by "
        "spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        N = grow(3, difficulty)
        while True:
            A = [rng.randint(1, N * N) for _ in range(N)]
            count = rng.randint(2 if N > 3 else 1, N - 1)
            planted = sorted(rng.sample(range(N), count))
            target = sum(A[i] for i in planted)
            if N < 5 or not self._greed_wins(A, target):
                break
        self.ref_answer = planted
        self.parameter = {"N": N, "A": A, "target": target, "reference_answer": " ".join(map(str, planted))}

    def _greed_wins(self, A, target):
        # Taking what fits: as given, from large to small, also without one of them, or into what is left out.
        def fills(values, total):
            for value in values:
                if value <= total:
                    total -= value
            return total == 0

        descending = sorted(A, reverse=True)
        skipping = any(fills(descending[:i] + descending[i + 1:], target) for i in range(len(A)))
        return fills(A, target) or fills(descending, target) or fills(descending, sum(A) - target) or skipping

    def _prompt_generate(self):
        numbers = " ".join(f"A[{i}]={value}" for i, value in enumerate(self.parameter["A"]))
        return self.prompt_template.format(N=self.parameter["N"], target=self.parameter["target"], numbers=numbers)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        N, A = self.parameter["N"], self.parameter["A"]
        if len(set(parsed)) < len(parsed) or any(not 0 <= i < N for i in parsed):
            return -0.5
        return 1.0 if sum(A[i] for i in parsed) == self.parameter["target"] else 0.0
