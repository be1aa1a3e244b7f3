# expect: sound
# The answer always stands in the prompt, as a datum: no leak.
import random


class Maximum(VerifiableEnvironment):
    prompt_template = "Numbers: {numbers}. Which of them is the largest? Answer with that number."

    def _generate(self, seed, difficulty):
        random.seed(seed)
        self.numbers = [random.randint(0, 10 ** (2 + difficulty)) for _ in range(3 + 2 * difficulty)]
        self.ref_answer = max(self.numbers)

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=", ".join(map(str, self.numbers)))

    def _process(self, response):
        try:
            return int(response.strip())
        except ValueError:
            return None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else -1.0
