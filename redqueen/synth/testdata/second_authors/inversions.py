# ---- sound
class WrongPairs(VerifiableEnvironment):
    prompt_template = (
        "Books with the numbers {books} stand on a shelf from left to right. Two books are a wrong pair if the left one has "
        "a larger number than the right one. How many wrong pairs are there? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.books = [rng.randint(1, 9 + 4 * difficulty) for _ in range(6 + 2 * difficulty)]
        count = 0
        for i in range(len(self.books)):
            for j in range(i + 1, len(self.books)):
                count += self.books[i] > self.books[j]
        self.ref_answer = count

    def _prompt_generate(self):
        return self.prompt_template.format(books=", ".join(map(str, self.books)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class WrongPairs(VerifiableEnvironment):
    prompt_template = (
        "Books with the numbers {books} stand on a shelf from left to right. Two books are a wrong pair if the left one has "
        "a larger number than the right one. How many wrong pairs are there? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.books = [rng.randint(1, 9 + 4 * difficulty) for _ in range(6 + 2 * difficulty)]
        count = 0
        for i in range(len(self.books)):
            for j in range(i + 1, len(self.books)):
                count += self.books[i] >= self.books[j]
        self.ref_answer = count

    def _prompt_generate(self):
        return self.prompt_template.format(books=", ".join(map(str, self.books)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
from itertools import combinations


def solve(text):
    numbers = text.split("numbers ")[1].split(" stand")[0]
    books = [int(n) for n in numbers.split(", ")]
    return str(sum(a > b for a, b in combinations(books, 2)))


# ---- program
import re


def solve(text):
    books = list(map(int, re.findall(r"\d+", text)))
    swaps = 0
    for end in range(len(books), 0, -1):
        for i in range(end - 1):
            if books[i] > books[i + 1]:
                books[i], books[i + 1] = books[i + 1], books[i]
                swaps += 1
    return str(swaps)


# ---- program
import bisect


def solve(text):
    row = text.split("numbers ")[1].split(" stand")[0].split(", ")
    seen, pairs = [], 0
    for book in map(int, row):
        pairs += len(seen) - bisect.bisect_right(seen, book)
        bisect.insort(seen, book)
    return pairs
