# ---- sound
class HowManyDivisors(VerifiableEnvironment):
    prompt_template = (
        "How many divisors does {number} have, 1 and {number} included? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.number = rng.randint(12, 90 + 200 * difficulty)
        self.ref_answer = sum(self.number % d == 0 for d in range(1, self.number + 1))

    def _prompt_generate(self):
        return self.prompt_template.format(number=self.number)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class HowManyDivisors(VerifiableEnvironment):
    prompt_template = (
        "How many divisors does {number} have, 1 and {number} included? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.number = rng.randint(12, 90 + 200 * difficulty)
        self.ref_answer = sum(self.number % d == 0 for d in range(1, self.number))

    def _prompt_generate(self):
        return self.prompt_template.format(number=self.number)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re


def solve(text):
    number = int(re.findall(r"\d+", text)[0])
    return str(len([d for d in range(1, number + 1) if number % d == 0]))


# ---- program
def solve(text):
    n = int(text.split("does ")[1].split()[0])
    count, d = 0, 1
    while d * d <= n:
        if n % d == 0:
            count += 1 if d * d == n else 2
        d += 1
    return str(count)


# ---- program
def solve(text):
    rest = int(text.split()[4])
    product, factor = 1, 2
    while rest > 1:
        power = 0
        while rest % factor == 0:
            rest //= factor
            power += 1
        product *= power + 1
        factor += 1
    return str(product)
