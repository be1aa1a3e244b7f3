# ---- sound
class CountingOut(VerifiableEnvironment):
    prompt_template = (
        "{n} children stand in a circle and are numbered 1 to {n}. Child 1 is counted first; every child that is counted as "
        "number {k} leaves, and counting goes on with the next child from 1. Which child is left at the end? Answer with one "
        "integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.randint(5, 9 + 4 * difficulty)
        self.k = rng.randint(2, 5)
        circle, place = list(range(1, self.n + 1)), 0
        while len(circle) > 1:
            place = (place + self.k - 1) % len(circle)
            circle.pop(place)
        self.ref_answer = circle[0]

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, k=self.k)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class CountingOut(VerifiableEnvironment):
    prompt_template = (
        "{n} children stand in a circle and are numbered 1 to {n}. Child 1 is counted first; every child that is counted as "
        "number {k} leaves, and counting goes on with the next child from 1. Which child is left at the end? Answer with one "
        "integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.randint(5, 9 + 4 * difficulty)
        self.k = rng.randint(2, 5)
        circle, place = list(range(1, self.n + 1)), 0
        while len(circle) > 1:
            place = (place + self.k) % len(circle)
            circle.pop(place)
        self.ref_answer = circle[0]

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, k=self.k)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re
from collections import deque


def solve(text):
    n, _, _, k = [int(word) for word in re.findall(r"\d+", text)[:4]]
    k = int(re.search(r"as number (\d+) leaves", text).group(1))
    circle = deque(range(1, n + 1))
    while len(circle) > 1:
        circle.rotate(-(k - 1))
        circle.popleft()
    return str(circle[0])


# ---- program
def solve(text):
    n = int(text.split()[0])
    k = int(text.split("counted as number ")[1].split()[0])
    survivor = 0
    for size in range(2, n + 1):
        survivor = (survivor + k) % size
    return str(survivor + 1)


# ---- program
import re


def solve(text):
    children = list(range(1, int(re.match(r"\d+", text).group()) + 1))
    every = int(re.search(r"number (\d+) leaves", text).group(1))
    counted = 0
    while len(children) > 1:
        child = children.pop(0)
        counted += 1
        if counted % every != 0:
            children.append(child)
    return str(children[0])
