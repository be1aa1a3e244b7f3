# expect: sound
class PriceList(VerifiableEnvironment):
    prompt_template = ("Receipts:\n{receipts}\nAdd up what was paid per product. Answer with the products in alphabetical order as `name=total`, "
                       "separated by single spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        goods = ["bread", "cheese", "dates", "eggs", "figs"][:2 + difficulty // 2]
        self.receipts = [(rng.choice(goods), rng.randint(1, 9), rng.randint(1, 9)) for _ in range(4 + 2 * difficulty)]
        totals = {}
        for name, count, price in self.receipts:
            totals[name] = totals.get(name, 0) + count * price
        self.ref_answer = dict(sorted(totals.items()))

    def _prompt_generate(self):
        return self.prompt_template.format(receipts="\n".join(f"{count} {name} at {price} each" for name, count, price in self.receipts))

    def _process(self, response):
        pairs = [word.split("=") for word in response.split()]
        if not pairs or any(len(pair) != 2 or parse_int(pair[1]) is None for pair in pairs):
            return None
        return {name: parse_int(total) for name, total in pairs}

    def scorer(self, parsed):
        return 1.0 if list(parsed.items()) == list(self.ref_answer.items()) else 0.0
