# expect: sound
class Table(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        cities = ["Zürich", "Łódź", "Málaga", "Göteborg", "Brașov", "Århus", "Ağrı", "Čačak", "Pärnu", "Évora", "Øksnes", "Ñemby"]
        self.rows = [(city, rng.randint(1, 99)) for city in rng.sample(cities, min(len(cities), 4 + difficulty))]
        self.limit = rng.randint(30, 60)
        self.ref_answer = sum(value for _, value in self.rows if value <= self.limit)

    def _prompt_generate(self):
        rows = "\n".join(f"{city}\t{value}" for city, value in self.rows)
        return f"A table of cities and values:\n{rows}\nAdd up the values that are at most {self.limit}. Answer with one integer."

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
