class MonotonicStack(VerifiableEnvironment):
    prompt_template = (
        "Given is a list of {N} integers:\n"
        "{numbers}\n"
        "Every element sees the elements to its right, one after another, as long as they are strictly smaller than "
        "itself; the first one that is equal or greater ends its view and is not seen. What is the sum, over all "
        "elements, of the number of elements that each sees?\n"
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        N = grow(4, difficulty)
        A = [rng.randint(1, N) for _ in range(N)]
        begin, end = sorted((rng.randint(0, N), rng.randint(0, N)))
        A[begin:end] = sorted(A[begin:end], reverse=True)
        self.parameter = {"N": N, "A": A}
        # On the stack stand those who still see the next element.
        viewers, total = [], 0
        for value in A:
            while viewers and viewers[-1] <= value:
                viewers.pop()
            total += len(viewers)
            viewers.append(value)
        self.ref_answer = total

    def _prompt_generate(self):
        return self.prompt_template.format(N=self.parameter["N"], numbers=" ".join(map(str, self.parameter["A"])))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
