# expect: sound
from itertools import permutations


class TaxiDispatch(VerifiableEnvironment):
    prompt_template = """There are {n} taxis and {n} customers. The table shows how many minutes each taxi (row) needs to each customer (column):
{table}

Send exactly one taxi to each customer. Print, for taxi 0, 1, ... in turn, the number of its customer, separated by spaces. The less
time the taxis take in total, the better; only an optimal plan counts as a full solution."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 3 + min(3, difficulty // 2)
        self.cost = [[rng.randint(1, 20 + 10 * difficulty) for _ in range(self.n)] for _ in range(self.n)]
        self.ref_answer = list(min(permutations(range(self.n)), key=self.total))

    def total(self, plan):
        return sum(row[customer] for row, customer in zip(self.cost, plan))

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, table="\n".join(" ".join(map(str, row)) for row in self.cost))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if sorted(parsed) != list(range(self.n)):
            return -0.5
        best, own = self.total(self.ref_answer), self.total(parsed)
        return 1.0 if own == best else 0.5 * (best / own) ** 4
