# expect: sound
import re


class LongestVowelRun(VerifiableEnvironment):
    prompt_template = ("How long is the longest run of consecutive vowels (a, e, i, o, u) in the text below? "
                       "Text: {text}\nAnswer with a number.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.text = "".join(rng.choice("aeiou" if rng.random() < 0.55 else "bcdfglmnprst") for _ in range(10 + 6 * difficulty))
        self.ref_answer = max(map(len, re.findall(r"[aeiou]+", self.text)), default=0)

    def _prompt_generate(self):
        return self.prompt_template.format(text=self.text)

    def _process(self, response):
        match = re.fullmatch(r"\s*(\d+)\s*", response)
        return int(match[1]) if match else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
