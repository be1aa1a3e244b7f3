# expect: sound
class Knapsack(VerifiableEnvironment):
    prompt_template = "Items (weight, value): {items}. A bag holds {room} units of weight. What is the largest total value that fits? One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.items = [(rng.randint(2, 12), rng.randint(1, 30)) for _ in range(5 + 2 * difficulty)]
        self.room = sum(weight for weight, _ in self.items) // 2
        best = [0] * (self.room + 1)
        for weight, value in self.items:
            for room in range(self.room, weight - 1, -1):
                best[room] = max(best[room], best[room - weight] + value)
        self.ref_answer = best[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(items=", ".join(map(str, self.items)), room=self.room)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
