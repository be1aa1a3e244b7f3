# expect: sound
from collections import Counter
from typing import NamedTuple


class Order(NamedTuple):
    table: int
    dish: str
    price: int


class RestaurantBill(VerifiableEnvironment):
    MENU = {"soup": 4, "risotto": 11, "salad": 6, "trout": 15, "tart": 5, "espresso": 2}
    prompt_template = """A waiter wrote down the orders of an evening (table: dish, price):
{orders}

Which bill is the highest, and what does it come to? If tables tie, name the one with the smallest number.
Answer in the form `table total`."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        dishes = sorted(self.MENU)
        self.orders = []
        for _ in range(4 + 3 * difficulty):
            dish = rng.choice(dishes)
            self.orders.append(Order(rng.randint(1, 3 + difficulty), dish, self.MENU[dish]))
        bills = Counter()
        for order in self.orders:
            bills[order.table] += order.price
        best = min(bills, key=lambda table: (-bills[table], table))
        self.ref_answer = (best, bills[best])

    def _prompt_generate(self):
        return self.prompt_template.format(orders="\n".join(f"{o.table}: {o.dish}, {o.price}" for o in self.orders))

    def _process(self, response):
        values = parse_int_list(response)
        return tuple(values) if values and len(values) == 2 else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
