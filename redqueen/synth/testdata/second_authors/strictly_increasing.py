# ---- sound
class IncreasingPick(VerifiableEnvironment):
    prompt_template = (
        "Numbers stand in a row: {row}. Some are crossed out so that the others, read from left to right, are strictly "
        "increasing. How many numbers can be left at most? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.row = [rng.randint(1, 6 + difficulty) for _ in range(6 + 2 * difficulty)]
        best = []
        for i, value in enumerate(self.row):
            best.append(1 + max([best[j] for j in range(i) if self.row[j] < value], default=0))
        self.ref_answer = max(best)

    def _prompt_generate(self):
        return self.prompt_template.format(row=" ".join(map(str, self.row)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class IncreasingPick(VerifiableEnvironment):
    prompt_template = (
        "Numbers stand in a row: {row}. Some are crossed out so that the others, read from left to right, are strictly "
        "increasing. How many numbers can be left at most? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.row = [rng.randint(1, 6 + difficulty) for _ in range(6 + 2 * difficulty)]
        best = []
        for i, value in enumerate(self.row):
            best.append(1 + max([best[j] for j in range(i) if self.row[j] <= value], default=0))
        self.ref_answer = max(best)

    def _prompt_generate(self):
        return self.prompt_template.format(row=" ".join(map(str, self.row)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import bisect
import re


def solve(text):
    row = [int(n) for n in re.search(r"row: ([\d ]+)\.", text).group(1).split()]
    tails = []
    for value in row:
        place = bisect.bisect_left(tails, value)
        tails[place:place + 1] = [value]
    return str(len(tails))


# ---- program
from itertools import combinations


def solve(text):
    numbers = list(map(int, text.split(":")[1].split(".")[0].split()))
    for size in range(len(numbers), 0, -1):
        for chosen in combinations(numbers, size):
            if all(a < b for a, b in zip(chosen, chosen[1:])):
                return str(size)
