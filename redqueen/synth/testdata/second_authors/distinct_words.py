# ---- sound
class DistinctParts(VerifiableEnvironment):
    prompt_template = (
        "How many different words does one get by cutting pieces of exactly {size} neighbouring letters out of {text}? "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.size = rng.randint(2, 3)
        self.text = "".join(rng.choice("xyz") for _ in range(8 + 3 * difficulty))
        self.ref_answer = len({self.text[i:i + self.size] for i in range(len(self.text) - self.size + 1)})

    def _prompt_generate(self):
        return self.prompt_template.format(size=self.size, text=self.text)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class DistinctParts(VerifiableEnvironment):
    prompt_template = (
        "How many different words does one get by cutting pieces of exactly {size} neighbouring letters out of {text}? "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.size = rng.randint(2, 3)
        self.text = "".join(rng.choice("xyz") for _ in range(8 + 3 * difficulty))
        self.ref_answer = len({self.text[i:i + self.size] for i in range(len(self.text) - self.size)})

    def _prompt_generate(self):
        return self.prompt_template.format(size=self.size, text=self.text)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
def solve(text):
    words = text.split()
    size = int(words[words.index("exactly") + 1])
    letters = words[words.index("of", 12) + 1].strip("?")
    return str(len(set(letters[i:i + size] for i in range(len(letters) - size + 1))))


# ---- program
import re


def solve(text):
    size = int(re.search(r"exactly (\d+)", text).group(1))
    letters = re.search(r"out of ([xyz]+)", text).group(1)
    seen = []
    for piece in zip(*[letters[i:] for i in range(size)]):
        if piece not in seen:
            seen.append(piece)
    return len(seen)
