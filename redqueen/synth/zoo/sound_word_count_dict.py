# expect: sound
from collections import Counter
import random


class LetterCount(VerifiableEnvironment):
    prompt_template = "Count every letter of the word {word}. Answer with a dictionary such as {{'a': 2, 'b': 1}}."

    def _generate(self, seed, difficulty):
        rng = random.Random(seed)
        self.word = "".join(rng.choice("abcd") for _ in range(5 + 4 * difficulty))
        self.ref_answer = dict(Counter(self.word))

    def _prompt_generate(self):
        return self.prompt_template.format(word=self.word)

    def _process(self, response):
        counts = {}
        text = response.strip()
        if not (text.startswith("{") and text.endswith("}")):
            return None
        for part in text[1:-1].split(","):
            if part.strip() == "":
                continue
            key, colon, value = part.partition(":")
            number = parse_int(value)
            if not colon or number is None:
                return None
            counts[key.strip().strip("'\"")] = number
        return counts

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
