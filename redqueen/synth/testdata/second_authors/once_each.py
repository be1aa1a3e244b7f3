# ---- sound
class BestParcels(VerifiableEnvironment):
    prompt_template = (
        "A van carries {limit} kilograms at most. Each of these lines is one parcel, its kilograms and its pay:\n{parcels}\n"
        "Every parcel is there once. How much pay can one drive earn at most? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 4 + difficulty
        self.parcels = [(rng.randint(1, 9), rng.randint(1, 20)) for _ in range(n)]
        self.limit = rng.randint(8, 9 + 3 * n)
        best = [0] * (self.limit + 1)
        for weight, pay in self.parcels:
            for room in range(self.limit, weight - 1, -1):
                best[room] = max(best[room], best[room - weight] + pay)
        self.ref_answer = best[self.limit]

    def _prompt_generate(self):
        return self.prompt_template.format(limit=self.limit, parcels="\n".join("%d %d" % parcel for parcel in self.parcels))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class BestParcels(VerifiableEnvironment):
    prompt_template = (
        "A van carries {limit} kilograms at most. Each of these lines is one parcel, its kilograms and its pay:\n{parcels}\n"
        "Every parcel is there once. How much pay can one drive earn at most? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 4 + difficulty
        self.parcels = [(rng.randint(1, 9), rng.randint(1, 20)) for _ in range(n)]
        self.limit = rng.randint(8, 9 + 3 * n)
        best = [0] * (self.limit + 1)
        for weight, pay in self.parcels:
            for room in range(weight, self.limit + 1):
                best[room] = max(best[room], best[room - weight] + pay)
        self.ref_answer = best[self.limit]

    def _prompt_generate(self):
        return self.prompt_template.format(limit=self.limit, parcels="\n".join("%d %d" % parcel for parcel in self.parcels))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
def solve(text):
    lines = text.splitlines()
    limit = int(lines[0].split()[3])
    items = [tuple(int(n) for n in line.split()) for line in lines[1:-1]]
    best = 0
    for mask in range(1 << len(items)):
        chosen = [item for i, item in enumerate(items) if mask >> i & 1]
        if sum(w for w, _ in chosen) <= limit:
            best = max(best, sum(p for _, p in chosen))
    return str(best)


# ---- program
import re


def solve(text):
    capacity = int(re.search(r"carries (\d+) kilograms", text).group(1))
    parcels = re.findall(r"^(\d+) (\d+)$", text, re.M)
    states = {0: 0}
    for weight, pay in parcels:
        weight, pay = int(weight), int(pay)
        for used, earned in list(states.items()):
            if used + weight <= capacity:
                states[used + weight] = max(states.get(used + weight, 0), earned + pay)
    return max(states.values())


# ---- program
def solve(text):
    numbers = [line.split() for line in text.split("\n")]
    room = int(numbers[0][3])
    parcels = [(int(a), int(b)) for a, b in numbers[1:-1]]

    def earn(i, left):
        if i == len(parcels):
            return 0
        weight, pay = parcels[i]
        without = earn(i + 1, left)
        return max(without, pay + earn(i + 1, left - weight)) if weight <= left else without

    return str(earn(0, room))
