# expect: sound
class CommonAncestor(VerifiableEnvironment):
    prompt_template = ("A family tree of a breed of dogs lists each dog's mother: {mothers}. {root} is the ancestor of all. Which dog is the closest "
                       "common ancestor of {x} and {y} in the female line? A dog counts as its own ancestor.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        names = rng.sample([a + b + c for a in "BDFK" for b in "aeo" for c in ("ri", "la", "no")], 6 + 2 * difficulty)
        self.root = names[0]
        self.mother = {name: rng.choice(names[:index]) for index, name in enumerate(names) if index}
        self.x, self.y = rng.sample(names[2:], 2)
        line, dog = [], self.x
        while dog:
            line.append(dog)
            dog = self.mother.get(dog)
        dog = self.y
        while dog not in line:
            dog = self.mother[dog]
        self.ref_answer = dog

    def _prompt_generate(self):
        pairs = sorted(self.mother.items())
        return self.prompt_template.format(mothers=", ".join(f"{child} from {mother}" for child, mother in pairs), root=self.root, x=self.x, y=self.y)

    def _process(self, response):
        words = response.split()
        return words[0].capitalize() if len(words) == 1 else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
