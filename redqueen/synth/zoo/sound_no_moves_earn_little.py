# expect: sound
# No moves at all are a legal answer, and leave a part of the row in order.
class SwapsToOrder(VerifiableEnvironment):
    prompt_template = "Row: {row}. A swap of place i exchanges the numbers at places i and i + 1 (places are counted from 0). Name the places of swaps, in turn and separated by spaces, after which the row ascends. A row that ascends in parts earns a part of the points."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.row = rng.sample(range(10, 99), 5 + difficulty)
        row, self.ref_answer = list(self.row), []
        for end in range(len(row) - 1, 0, -1):
            for i in range(end):
                if row[i] > row[i + 1]:
                    row[i], row[i + 1] = row[i + 1], row[i]
                    self.ref_answer.append(i)

    def _prompt_generate(self):
        return self.prompt_template.format(row=" ".join(map(str, self.row)))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        row = list(self.row)
        for i in parsed:
            if not 0 <= i < len(row) - 1:
                return -0.5
            row[i], row[i + 1] = row[i + 1], row[i]
        right = sum(a == b for a, b in zip(row, sorted(row)))
        return share_reward(right, len(row), 2)
