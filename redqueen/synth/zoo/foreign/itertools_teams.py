# expect: sound
from itertools import combinations


class TeamsOfThree(VerifiableEnvironment):
    prompt_template = ("A coach rates the players of a club: {ratings}. In how many ways can three players be put together "
                       "such that their ratings add up to an even number? Players with the same rating are different people.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.ratings = [rng.randint(1, 60) for _ in range(5 + 2 * difficulty)]
        self.ref_answer = sum(not sum(team) % 2 for team in combinations(self.ratings, 3))

    def _prompt_generate(self):
        return self.prompt_template.format(ratings=self.ratings)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
