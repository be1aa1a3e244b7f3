# expect: sound
MORSE = {"a": ".-", "d": "-..", "e": ".", "g": "--.", "i": "..", "k": "-.-", "m": "--", "n": "-.", "o": "---", "r": ".-.", "s": "...",
         "t": "-", "u": "..-", "w": ".--"}


class MorseReadings(VerifiableEnvironment):
    prompt_template = ("The Morse code of a few letters: {alphabet}. Somebody forgot the gaps and sent {signal}. In how many ways can this be "
                       "read as a sequence of these letters?")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        word = [rng.choice(sorted(MORSE)) for _ in range(2 + difficulty)]
        self.signal = "".join(MORSE[letter] for letter in word)
        ways = [1] + [0] * len(self.signal)
        for end in range(1, len(self.signal) + 1):
            ways[end] = sum(ways[end - len(code)] for code in MORSE.values() if self.signal[:end].endswith(code))
        self.ref_answer = ways[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(alphabet="  ".join(f"{k} {v}" for k, v in MORSE.items()), signal=self.signal)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
