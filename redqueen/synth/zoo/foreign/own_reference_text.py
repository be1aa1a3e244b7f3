# expect: sound
class EggBoxes(VerifiableEnvironment):
    prompt_template = ("A farmer packs {eggs} eggs into boxes of {sizes}. Pack all of them into as few boxes as possible. Answer as "
                       "size x count pairs, largest size first, without boxes that are not used: `10x2 6x1`.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.sizes = sorted(rng.sample(range(2, 13), 2 + difficulty // 4) + [1], reverse=True)
        self.eggs = rng.randint(15, 40 + 25 * difficulty)
        fewest = [0] + [None] * self.eggs
        for n in range(1, self.eggs + 1):
            fewest[n] = 1 + min(fewest[n - s] for s in self.sizes if s <= n)
        plan, rest = {}, self.eggs
        while rest:
            size = next(s for s in self.sizes if s <= rest and fewest[rest - s] == fewest[rest] - 1)
            plan[size] = plan.get(size, 0) + 1
            rest -= size
        self.ref_answer = plan

    def reference_text(self):
        return " ".join(f"{size}x{count}" for size, count in sorted(self.ref_answer.items(), reverse=True))

    def _prompt_generate(self):
        return self.prompt_template.format(eggs=self.eggs, sizes=", ".join(map(str, self.sizes)))

    def _process(self, response):
        plan = {}
        for word in response.split():
            size, _, count = word.partition("x")
            if not (size.isdecimal() and count.isdecimal() and word.isascii() and len(word) < 12) or int(size) in plan:
                return None
            plan[int(size)] = int(count)
        return plan or None

    def scorer(self, parsed):
        if not set(parsed) <= set(self.sizes) or sum(size * count for size, count in parsed.items()) != self.eggs:
            return 0.0
        return 1.0 if sum(parsed.values()) == sum(self.ref_answer.values()) else 0.25
