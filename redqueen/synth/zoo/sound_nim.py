# expect: sound
from functools import reduce


class Nim(VerifiableEnvironment):
    prompt_template = "Nim with the heaps {heaps}: who takes the last object wins. Give a winning first move as heap index (from 0) and number of objects to take, or 0 0 if there is none."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        while True:
            self.heaps = [rng.randint(1, 7 + 4 * difficulty) for _ in range(3 + difficulty)]
            total = reduce(lambda a, b: a ^ b, self.heaps)
            if total:
                break
        index = next(i for i, h in enumerate(self.heaps) if h ^ total < h)
        self.ref_answer = (index, self.heaps[index] - (self.heaps[index] ^ total))

    def _prompt_generate(self):
        return self.prompt_template.format(heaps=self.heaps)

    def _process(self, response):
        numbers = parse_int_list(response)
        return tuple(numbers) if numbers is not None and len(numbers) == 2 else None

    def scorer(self, parsed):
        index, count = parsed
        if not 0 <= index < len(self.heaps) or not 1 <= count <= self.heaps[index]:
            return -0.5
        left = list(self.heaps)
        left[index] -= count
        return 1.0 if reduce(lambda a, b: a ^ b, left) == 0 else 0.0
