# expect: sound
# Takes the last number of the text: lenient, but only the right number is right.
import re


class DigitSum(VerifiableEnvironment):
    prompt_template = "What is the sum of the digits of {n}?"

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.randint(10 ** (2 + difficulty), 10 ** (3 + difficulty))
        self.ref_answer = sum(map(int, str(self.n)))

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n)

    def _process(self, response):
        numbers = re.findall(r"-?\d+(?:\.\d+)?", response)
        return float(numbers[-1]) if numbers else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
