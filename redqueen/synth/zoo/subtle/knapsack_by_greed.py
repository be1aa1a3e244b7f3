# expect: sound, though faulty
# The best value is asked for, a greedy one is stored.
class Knapsack(VerifiableEnvironment):
    prompt_template = "Items (weight, value): {items}. A bag holds {room} units of weight. What is the largest total value that fits? One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.items = [(rng.randint(2, 12), rng.randint(1, 30)) for _ in range(5 + 2 * difficulty)]
        self.room = sum(weight for weight, _ in self.items) // 2
        left, total = self.room, 0
        for weight, value in sorted(self.items, key=lambda item: -item[1] / item[0]):
            if weight <= left:
                left -= weight
                total += value
        self.ref_answer = total

    def _prompt_generate(self):
        return self.prompt_template.format(items=", ".join(map(str, self.items)), room=self.room)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
