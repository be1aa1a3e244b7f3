# expect: sound
class LeagueTable(VerifiableEnvironment):
    prompt_template = """Results of a football league:

{results}

A win is worth 3 points, a draw 1 point, a defeat nothing. Sort the teams by points (most first), then by goal difference, then by
goals scored, then by name. Output the names on one line, separated by commas."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        teams = ["Ajax", "Brann", "Celta", "Derby", "Espoo", "Fola", "Genk"][:3 + difficulty // 2]
        self.results = []
        table = {team: [0, 0, 0] for team in teams}
        for i, home in enumerate(teams):
            for guest in teams[:i]:
                g, h = rng.choice((0, 1, 1, 2, 3, 4)), rng.choice((0, 1, 1, 2, 3))
                self.results.append(f"{home} {g}:{h} {guest}")
                for team, own, other in ((home, g, h), (guest, h, g)):
                    table[team][0] += 3 if own > other else own == other
                    table[team][1] += own - other
                    table[team][2] += own
        rng.shuffle(self.results)
        self.ref_answer = sorted(teams, key=lambda team: (*(-value for value in table[team]), team))

    def _prompt_generate(self):
        return self.prompt_template.format(results="\n".join(self.results))

    def _process(self, response):
        return [part.strip() for part in response.split(",")] if "," in response else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
