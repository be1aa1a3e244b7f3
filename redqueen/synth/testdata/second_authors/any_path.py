# ---- sound
class OneSubset(VerifiableEnvironment):
    prompt_template = (
        "Choose some of the numbers {numbers} (each at most once) that add up to {target}. Answer with the chosen numbers, "
        "separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.numbers = rng.sample(range(2, 24 + 6 * difficulty), 6 + difficulty)
        self.ref_answer = rng.sample(self.numbers, rng.randint(2, 4))
        self.target = sum(self.ref_answer)
        self.ref_answer.sort()

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=", ".join(map(str, self.numbers)), target=self.target)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return float(len(set(parsed)) == len(parsed) and set(parsed) <= set(self.numbers) and sum(parsed) == self.target)


# ---- faulty
class OneSubset(VerifiableEnvironment):
    prompt_template = (
        "Choose some of the numbers {numbers} (each at most once) that add up to {target}. Answer with the chosen numbers, "
        "separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.numbers = rng.sample(range(2, 24 + 6 * difficulty), 6 + difficulty)
        self.ref_answer = rng.sample(self.numbers, rng.randint(2, 4))
        self.target = sum(self.ref_answer)
        self.ref_answer.sort()

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=", ".join(map(str, self.numbers)), target=self.target)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return float(sorted(parsed) == self.ref_answer)


# ---- program
import re
from itertools import combinations


def solve(text):
    numbers = list(map(int, re.search(r"numbers ([\d, ]+) \(", text).group(1).split(",")))
    target = int(re.search(r"up to (\d+)", text).group(1))
    for size in range(1, len(numbers) + 1):
        for chosen in combinations(sorted(numbers), size):
            if sum(chosen) == target:
                return " ".join(map(str, chosen))


# ---- program
import re


def solve(text):
    found = [int(n) for n in re.findall(r"\d+", text)]
    numbers, target = sorted(found[:-1], reverse=True), found[-1]

    def search(i, left):
        if left == 0:
            return []
        if left < 0 or i == len(numbers):
            return None
        rest = search(i + 1, left - numbers[i])
        return [numbers[i]] + rest if rest is not None else search(i + 1, left)

    return search(0, target)
