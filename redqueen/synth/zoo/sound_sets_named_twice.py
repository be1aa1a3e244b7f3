# expect: sound
# Naming a set twice changes nothing, and gains nothing.
class ExactCover(VerifiableEnvironment):
    prompt_template = "Teams: {teams}. Choose teams such that every person from 0 to {last} is in exactly one of them, each team at most once. Answer with the numbers of the teams, counted from 0 and separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 6 + difficulty
        people = list(range(self.n))
        rng.shuffle(people)
        cuts = sorted(rng.sample(range(1, self.n), 2))
        teams = [sorted(people[a:b]) for a, b in zip([0, *cuts], [*cuts, self.n])]
        cover = [list(team) for team in teams]
        teams += [sorted(rng.sample(range(self.n), 3)) for _ in range(3 + difficulty)]
        rng.shuffle(teams)
        self.teams = teams
        self.ref_answer = [teams.index(team) for team in cover]

    def _prompt_generate(self):
        return self.prompt_template.format(teams=self.teams, last=self.n - 1)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        chosen = set(parsed)
        if not all(0 <= i < len(self.teams) for i in chosen):
            return 0.0
        people = [person for i in chosen for person in self.teams[i]]
        return 1.0 if sorted(people) == list(range(self.n)) else 0.0
