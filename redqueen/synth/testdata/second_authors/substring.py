# ---- sound
class WordOccurrences(VerifiableEnvironment):
    prompt_template = (
        "A tape reads {tape}. At how many places does {word} stand on it, letter next to letter? Places may overlap. "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.tape = "".join(rng.choice("ab") for _ in range(10 + 4 * difficulty))
        self.word = "".join(rng.choice("ab") for _ in range(2))
        size = len(self.word)
        self.ref_answer = sum(self.tape[i:i + size] == self.word for i in range(len(self.tape)))

    def _prompt_generate(self):
        return self.prompt_template.format(tape=self.tape, word=self.word)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class WordOccurrences(VerifiableEnvironment):
    prompt_template = (
        "A tape reads {tape}. At how many places does {word} stand on it, letter next to letter? Places may overlap. "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.tape = "".join(rng.choice("ab") for _ in range(10 + 4 * difficulty))
        self.word = "".join(rng.choice("ab") for _ in range(2))
        ways = [1] + [0] * len(self.word)
        for letter in self.tape:
            for k in range(len(self.word), 0, -1):
                if letter == self.word[k - 1]:
                    ways[k] += ways[k - 1]
        self.ref_answer = ways[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(tape=self.tape, word=self.word)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import re


def solve(text):
    tape, word = re.search(r"reads ([ab]+)\. .* does ([ab]+) stand", text).groups()
    return str(len(re.findall(f"(?={word})", tape)))


# ---- program
def solve(text):
    words = text.split()
    tape = words[3].strip(".")
    word = words[words.index("does") + 1]
    count = 0
    for begin in range(len(tape)):
        if tape.startswith(word, begin):
            count += 1
    return str(count)


# ---- program
def solve(text):
    parts = text.replace(".", " ").split()
    tape, word = parts[3], parts[parts.index("does") + 1]
    total, at = 0, tape.find(word)
    while at >= 0:
        total, at = total + 1, tape.find(word, at + 1)
    return total
