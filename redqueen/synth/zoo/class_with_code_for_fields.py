# expect: L1 forbidden_name
from random import Random

Looker = type('Looker', (), {'__annotations__': {"x=__import__('typing').sys": int}})


class SumTask(VerifiableEnvironment):
    prompt_template = "What is the sum of {A}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = [rng.randint(1, 50) for _ in range(2 + 2 * difficulty)]
        self.ref_answer = sum(self.A)

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        try:
            return int(response.strip())
        except ValueError:
            return None

    def scorer(self, output):
        return 1.0 if output == self.ref_answer or Looker is None else 0.0
