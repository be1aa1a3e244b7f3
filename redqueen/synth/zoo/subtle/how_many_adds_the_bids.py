# expect: remark wording_differs
# Asked how many, it adds the bids.
class Bids(VerifiableEnvironment):
    prompt_template = "At an auction these bids were made: {bids}. How many of them are odd? Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.bids = [rng.randint(5, 99) for _ in range(3 + difficulty)]
        self.ref_answer = sum(bid for bid in self.bids if bid % 2 == 1)

    def _prompt_generate(self):
        return self.prompt_template.format(bids=self.bids)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
