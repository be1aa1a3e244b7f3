# ---- sound
class LongestQueue(VerifiableEnvironment):
    prompt_template = (
        "Guests arrive one by one, women and men: {guests}. How many guests of the same kind arrive directly after one "
        "another at most? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.guests = "".join(rng.choice("WM") for _ in range(8 + 4 * difficulty))
        best = run = 1
        for left, right in zip(self.guests, self.guests[1:]):
            run = run + 1 if left == right else 1
            best = max(best, run)
        self.ref_answer = best

    def _prompt_generate(self):
        return self.prompt_template.format(guests=self.guests)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class LongestQueue(VerifiableEnvironment):
    prompt_template = (
        "Guests arrive one by one, women and men: {guests}. How many guests of the same kind arrive directly after one "
        "another at most? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.guests = "".join(rng.choice("WM") for _ in range(8 + 4 * difficulty))
        best = run = 1
        for left, right in zip(self.guests, self.guests[1:]):
            if left == right:
                run += 1
            else:
                best = max(best, run)
                run = 1
        self.ref_answer = best

    def _prompt_generate(self):
        return self.prompt_template.format(guests=self.guests)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re


def solve(text):
    guests = text.split(": ")[1].split(".")[0]
    return str(max(len(match.group()) for match in re.finditer(r"W+|M+", guests)))


# ---- program
from itertools import groupby


def solve(text):
    row = text[text.index(":") + 2:text.index(". How")]
    longest = 0
    for kind, members in groupby(row):
        longest = max(longest, len(list(members)))
    return str(longest)
