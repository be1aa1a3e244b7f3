# expect: L4 answers_constant
# The planted subset is always the first numbers.
class Chosen(VerifiableEnvironment):
    prompt_template = ("From the numbers {numbers} (counted from 0) choose as few positions as possible whose numbers add up to "
                       "{goal}. Answer with the positions in increasing order, separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        k = 2 + difficulty
        self.numbers = [rng.randint(50, 99) for _ in range(k)] + [rng.randint(1000, 9999) for _ in range(k)]
        self.goal = sum(self.numbers[:k])
        self.ref_answer = list(range(k))

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=self.numbers, goal=self.goal)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
