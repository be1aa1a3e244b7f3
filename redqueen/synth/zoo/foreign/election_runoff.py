# expect: sound
from collections import Counter


class RankedChoice(VerifiableEnvironment):
    """Instant-runoff voting. The candidate with the fewest first places is eliminated; ties are broken alphabetically."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.names = ["Ada", "Bo", "Cy", "Di", "Eve", "Flo"][:3 + min(3, difficulty // 2)]
        self.ballots = [rng.sample(self.names, len(self.names)) for _ in range(7 + 4 * difficulty)]
        standing = set(self.names)
        while len(standing) > 1:
            firsts = Counter({name: 0 for name in standing})
            firsts.update(next(name for name in ballot if name in standing) for ballot in self.ballots)
            standing.remove(min(standing, key=lambda name: (firsts[name], name)))
        self.ref_answer = standing.pop()

    def _prompt_generate(self):
        lines = "\n".join(" > ".join(ballot) for ballot in self.ballots)
        return ("A club elects its president by instant run-off. In each round every ballot counts for its best-placed candidate who is "
                "still in the race; the candidate with the fewest votes is eliminated (among several, the one whose name comes first "
                f"in the alphabet), until one is left.\n\nThe ballots:\n{lines}\n\nWho wins?")

    def _process(self, response):
        name = response.strip().capitalize()
        return name if name in self.names else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
