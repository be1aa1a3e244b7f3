# expect: sound
class Unscramble(VerifiableEnvironment):
    passing = 1.0
    prompt_template = ("Conveyor belts feed a sorter: {belts}. The sorter repeatedly takes the smallest parcel number at the front of any "
                       "belt that is not empty. Write the numbers in the order in which it takes them, on one line.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        count = 6 + 3 * difficulty
        numbers = rng.sample(range(100, 999), count)
        self.belts = [numbers[start::3] for start in range(3)]
        queues, taken = [list(belt) for belt in self.belts], []
        while any(queues):
            queue = min((queue for queue in queues if queue), key=lambda queue: queue[0])
            taken.append(queue.pop(0))
        self.ref_answer = taken

    def _prompt_generate(self):
        return self.prompt_template.format(belts="; ".join("[" + ", ".join(map(str, belt)) + "]" for belt in self.belts))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if len(parsed) != len(self.ref_answer):
            return 0.0
        right = sum(a == b for a, b in zip(parsed, self.ref_answer))
        return share_reward(right, len(parsed))
