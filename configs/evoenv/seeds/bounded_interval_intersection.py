from heapq import heappop, heappush


class BoundedIntervalIntersection(VerifiableEnvironment):
    prompt_template = (
        "Here are {N} intervals, each from its left end to its right end:\n"
        "{intervals}\n"
        "The length of an interval is its right end minus its left end. In how many ways can one or more of these "
        "intervals be chosen so that the part of the number line which all chosen ones have in common has a length "
        "of at least {K}? Equal intervals that are listed more than once count as different ones.\n"
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        N = grow(3, difficulty)
        intervals = [sorted(rng.sample(range(N + 1), 2)) for _ in range(N)]
        lengths = sorted(right - left for left, right in intervals)
        K = rng.randint(lengths[(N - 1) // 4], lengths[(N - 1) // 2])
        self.parameter = {"N": N, "intervals": intervals, "K": K}
        # Every choice is counted at its interval that starts last, with any of those that reach K beyond its start.
        total, ends = 0, []
        for left, right in sorted(intervals):
            if right < left + K:
                continue
            while ends and ends[0] < left + K:
                heappop(ends)
            total += 2 ** len(ends)
            heappush(ends, right)
        self.ref_answer = total

    def _prompt_generate(self):
        intervals = " ".join(f"[{left}, {right}]" for left, right in self.parameter["intervals"])
        return self.prompt_template.format(N=self.parameter["N"], K=self.parameter["K"], intervals=intervals)

    def _process(self, response):
        answer = parse_int(response)
        return None if answer is None or answer < 0 else answer

    def scorer(self, parsed):
        return closeness_reward(parsed, self.ref_answer)
