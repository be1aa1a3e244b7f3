class Knapsack(VerifiableEnvironment):
    prompt_template = (
        "Each of these {N} lines gives the index, the weight and the value of an item:\n"
        "{items}\n"
        "Choose items, each at most once, whose weights add up to at most {W_max} and whose values add up to as much "
        "as possible.\n"
        "Answer with the indices of the chosen items in any order on one line, separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        N = grow(3, difficulty)
        while True:
            W = [rng.randint(1, N) for _ in range(N)]
            V = [w + rng.randint(0, min(w, 1 + N // 4)) for w in W]
            W_max = max(min(W), rng.randint((sum(W) + 2) // 3, 2 * sum(W) // 3))
            chosen = self._best(W, V, W_max)
            best = sum(V[i] for i in chosen)
            if N < 5 or best not in self._simple_values(W, V, W_max):
                break
        self.parameter = {"N": N, "W": W, "V": V, "W_max": W_max, "gold_answer": best}
        self.ref_answer = chosen

    def _best(self, W, V, W_max):
        # best[c]: the greatest value within capacity c of the items so far, and what earns it
        best = [(0, ())] * (W_max + 1)
        for i in range(len(W)):
            for c in range(W_max, W[i] - 1, -1):
                value, items = best[c - W[i]]
                if value + V[i] > best[c][0]:
                    best[c] = (value + V[i], items + (i,))
        return list(best[W_max][1])

    def _simple_values(self, W, V, W_max):
        # What one gets by taking what fits: by value per weight, by value, as given; and by the best of these, or by
        # the lightest first, with one item exchanged for another as long as that helps.
        choices = []
        for key in (lambda i: -V[i] / W[i], lambda i: -V[i], lambda i: 0, lambda i: W[i]):
            chosen, left = [], W_max
            for i in sorted(range(len(W)), key=key):
                if W[i] <= left:
                    left -= W[i]
                    chosen.append(i)
            choices.append(chosen)
        best = self._exchanged(max(choices, key=lambda chosen: sum(V[i] for i in chosen)), W, V, W_max)
        return {sum(V[i] for i in chosen) for chosen in choices[:3] + [best]}

    def _exchanged(self, chosen, W, V, W_max):
        chosen, left, better = set(chosen), W_max - sum(W[i] for i in chosen), True
        while better:
            better = False
            for item in sorted(chosen):
                for other in range(len(W)):
                    if other not in chosen and W[other] - W[item] <= left and V[other] > V[item]:
                        chosen.remove(item)
                        chosen.add(other)
                        left -= W[other] - W[item]
                        item, better = other, True
        return chosen

    def _prompt_generate(self):
        W, V = self.parameter["W"], self.parameter["V"]
        items = "\n".join(f"{i} {w} {v}" for i, (w, v) in enumerate(zip(W, V)))
        return self.prompt_template.format(N=self.parameter["N"], items=items, W_max=self.parameter["W_max"])

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        N, W, V = self.parameter["N"], self.parameter["W"], self.parameter["V"]
        if len(set(parsed)) < len(parsed) or any(not 0 <= i < N for i in parsed):
            return -0.5
        if sum(W[i] for i in parsed) > self.parameter["W_max"]:
            return -0.5
        return ratio_reward(sum(V[i] for i in parsed), self.parameter["gold_answer"])
