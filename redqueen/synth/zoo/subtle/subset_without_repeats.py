# expect: sound
class Subset(VerifiableEnvironment):
    prompt_template = ("Choose some of the weights {weights}, each at most once, that weigh {goal} together. Answer with their "
                       "indices, counted from 0, separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 5 + difficulty
        self.weights = [rng.randint(1, 9) for _ in range(n)]
        chosen = sorted(rng.sample(range(n), 3))
        self.goal = sum(self.weights[i] for i in chosen)
        self.ref_answer = chosen

    def _prompt_generate(self):
        return self.prompt_template.format(weights=self.weights, goal=self.goal)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if any(not 0 <= i < len(self.weights) for i in parsed) or len(set(parsed)) < len(parsed):
            return -0.5
        return 1.0 if sum(self.weights[i] for i in parsed) == self.goal else 0.0
