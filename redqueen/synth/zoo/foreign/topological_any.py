# expect: sound
class BuildOrder(VerifiableEnvironment):
    prompt_template = """A build system has the targets {targets}. Dependencies (`a <- b` means: a needs b, so b is built before a):
{rules}

Write down an order in which all targets can be built, one after the other, separated by spaces. If there are several, any one
will do."""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        targets = list("abcdefghijklmnopqrs"[:5 + difficulty])
        rng.shuffle(targets)
        self.rules = [(targets[j], targets[i]) for i in range(len(targets)) for j in range(i + 1, len(targets)) if rng.random() < 0.45]
        rng.shuffle(self.rules)
        self.targets = sorted(targets)
        self.ref_answer = targets

    def _prompt_generate(self):
        return self.prompt_template.format(targets=" ".join(self.targets), rules="\n".join(f"{a} <- {b}" for a, b in self.rules))

    def _process(self, response):
        order = response.split()
        return order if order else None

    def scorer(self, parsed):
        if sorted(parsed) != self.targets:
            return -0.5
        place = {target: index for index, target in enumerate(parsed)}
        return 1.0 if all(place[b] < place[a] for a, b in self.rules) else 0.0
