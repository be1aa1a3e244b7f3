# expect: sound
class AnagramGroups(VerifiableEnvironment):
    prompt_template = ("Group these words so that words which are anagrams of each other are together: {words}. How many groups with at least two "
                       "words are there, and how many words has the largest group? Two numbers.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        stems = ["".join(rng.sample("abcdefgh", 4)) for _ in range(3 + difficulty)]
        self.words = ["".join(rng.sample(stem, len(stem))) for stem in stems for _ in range(rng.randint(1, 3))]
        rng.shuffle(self.words)
        groups = {}
        for word in self.words:
            groups.setdefault("".join(sorted(word)), []).append(word)
        sizes = [len(group) for group in groups.values()]
        self.ref_answer = [sum(size >= 2 for size in sizes), max(sizes)]

    def _prompt_generate(self):
        return self.prompt_template.format(words=" ".join(self.words))

    def _process(self, response):
        numbers = parse_int_list(response.replace(",", " "))
        return numbers if numbers is not None and len(numbers) == 2 else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
