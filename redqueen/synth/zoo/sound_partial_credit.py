# expect: sound
class InversionCount(VerifiableEnvironment):
    prompt_template = "How many pairs of positions i < j has {A} with A[i] > A[j]? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = list(range(1, 6 + 2 * difficulty))
        rng.shuffle(self.A)
        self.ref_answer = sum(self.A[i] > self.A[j] for j in range(len(self.A)) for i in range(j))

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        value = parse_int(response)
        return None if value is None or value < 0 else value

    def scorer(self, parsed):
        return closeness_reward(parsed, self.ref_answer)
