# ---- sound
class OneDigit(VerifiableEnvironment):
    prompt_template = (
        "Take the sum of the digits of {number}. Take the sum of the digits of the result, and so on, until one digit is "
        "left. How many sums were taken? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.number = rng.choice([rng.randint(10, 99), rng.randint(100, 9999), rng.randint(10 ** 6, 10 ** (9 + difficulty))])
        value, steps = self.number, 0
        while value > 9:
            value = sum(map(int, str(value)))
            steps += 1
        self.ref_answer = steps

    def _prompt_generate(self):
        return self.prompt_template.format(number=self.number)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class OneDigit(VerifiableEnvironment):
    prompt_template = (
        "Take the sum of the digits of {number}. Take the sum of the digits of the result, and so on, until one digit is "
        "left. How many sums were taken? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.number = rng.choice([rng.randint(10, 99), rng.randint(100, 9999), rng.randint(10 ** 6, 10 ** (9 + difficulty))])
        value, steps = self.number, 0
        while value > 18:
            value = sum(map(int, str(value)))
            steps += 1
        self.ref_answer = steps

    def _prompt_generate(self):
        return self.prompt_template.format(number=self.number)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re


def solve(text):
    number = re.search(r"\d+", text).group()
    sums = 0
    while len(number) > 1:
        number = str(sum(int(d) for d in number))
        sums += 1
    return str(sums)


# ---- program
def solve(text):
    value = int(text.split("digits of ")[1].split(".")[0])

    def sums(n):
        if n < 10:
            return 0
        total = 0
        while n:
            n, digit = divmod(n, 10)
            total += digit
        return 1 + sums(total)

    return str(sums(value))
