# ---- sound
class LeapYears(VerifiableEnvironment):
    prompt_template = (
        "How many leap years of the Gregorian calendar are there from {first} to {last}, both included? Answer with one "
        "integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.first = rng.randint(1590, 2010)
        self.last = self.first + rng.randint(8, 90 + 80 * difficulty)
        self.ref_answer = sum(y % 4 == 0 and (y % 100 != 0 or y % 400 == 0) for y in range(self.first, self.last + 1))

    def _prompt_generate(self):
        return self.prompt_template.format(first=self.first, last=self.last)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class LeapYears(VerifiableEnvironment):
    prompt_template = (
        "How many leap years of the Gregorian calendar are there from {first} to {last}, both included? Answer with one "
        "integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.first = rng.randint(1590, 2010)
        self.last = self.first + rng.randint(8, 90 + 80 * difficulty)
        self.ref_answer = sum(y % 4 == 0 for y in range(self.first, self.last + 1))

    def _prompt_generate(self):
        return self.prompt_template.format(first=self.first, last=self.last)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re


def solve(text):
    first, last = map(int, re.findall(r"\d+", text))

    def until(year):
        return year // 4 - year // 100 + year // 400

    return str(until(last) - until(first - 1))


# ---- program
import re


def solve(text):
    a, b = re.findall(r"\d+", text)
    count = 0
    for year in range(int(a), int(b) + 1):
        if year % 400 == 0 or (year % 4 == 0 and year % 100):
            count += 1
    return str(count)
