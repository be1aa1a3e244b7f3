# expect: sound
from math import gcd


class UrnProbability(VerifiableEnvironment):
    prompt_template = ("An urn holds {red} red and {blue} blue balls. Two balls are drawn, one after the other and without putting the first one "
                       "back. What is the probability that they have different colours? Give a fraction p/q in lowest terms.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.red, self.blue = (rng.randint(1, 6 + 6 * difficulty) for _ in "rb")
        total = self.red + self.blue
        p, q = 2 * self.red * self.blue, total * (total - 1)
        self.ref_answer = f"{p // gcd(p, q)}/{q // gcd(p, q)}"

    def _prompt_generate(self):
        return self.prompt_template.format(red=self.red, blue=self.blue)

    def _process(self, response):
        p, slash, q = response.strip().partition("/")
        return f"{p.strip()}/{q.strip()}" if slash and p.strip().isdecimal() and q.strip().isdecimal() else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
