# expect: sound
from functools import reduce
from itertools import accumulate

compose = lambda *fs: reduce(lambda f, g: lambda x: g(f(x)), fs)
lowest = compose(accumulate, list, min)


class AccountLow(VerifiableEnvironment):
    prompt_template = ("Bookings on an account, oldest first: {bookings}. The account starts empty. What is the lowest "
                       "balance that it has directly after one of the bookings? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.bookings = list(map(lambda _: rng.randint(-60, 60), range(4 + 3 * difficulty)))
        self.ref_answer = lowest(self.bookings)

    def _prompt_generate(self):
        return self.prompt_template.format(bookings=", ".join(map("{:+d}".format, self.bookings)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return float(parsed == self.ref_answer)
