# ---- sound
class ShortestDrive(VerifiableEnvironment):
    prompt_template = (
        "A town has crossings 0 to {last}. These streets can be driven in both directions; each line names two crossings and "
        "the minutes between them:\n{streets}\nHow many minutes does the quickest drive from 0 to {last} take? "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 4 + difficulty
        self.last = n - 1
        order = list(range(1, n - 1))
        rng.shuffle(order)
        tour = [0] + order + [n - 1]
        pairs = {(a, b) for a, b in zip(tour, tour[1:])}
        for _ in range(n):
            a, b = rng.sample(range(n), 2)
            if (b, a) not in pairs:
                pairs.add((a, b))
        self.streets = [(a, b, rng.randint(1, 9)) for a, b in sorted(pairs)]
        far = [0] + [10 ** 9] * self.last
        for _ in far:
            for a, b, minutes in self.streets:
                far[b] = min(far[b], far[a] + minutes)
                far[a] = min(far[a], far[b] + minutes)
        self.ref_answer = far[self.last]

    def _prompt_generate(self):
        return self.prompt_template.format(last=self.last, streets="\n".join("%d %d %d" % street for street in self.streets))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- faulty
class ShortestDrive(VerifiableEnvironment):
    prompt_template = (
        "A town has crossings 0 to {last}. These streets can be driven in both directions; each line names two crossings and "
        "the minutes between them:\n{streets}\nHow many minutes does the quickest drive from 0 to {last} take? "
        "Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 4 + difficulty
        self.last = n - 1
        order = list(range(1, n - 1))
        rng.shuffle(order)
        tour = [0] + order + [n - 1]
        pairs = {(a, b) for a, b in zip(tour, tour[1:])}
        for _ in range(n):
            a, b = rng.sample(range(n), 2)
            if (b, a) not in pairs:
                pairs.add((a, b))
        self.streets = [(a, b, rng.randint(1, 9)) for a, b in sorted(pairs)]
        far = [0] + [10 ** 9] * self.last
        for _ in far:
            for a, b, minutes in self.streets:
                far[b] = min(far[b], far[a] + minutes)
        self.ref_answer = far[self.last]

    def _prompt_generate(self):
        return self.prompt_template.format(last=self.last, streets="\n".join("%d %d %d" % street for street in self.streets))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


# ---- program
import heapq


def solve(text):
    roads = [tuple(map(int, line.split())) for line in text.splitlines()[1:-1]]
    goal = int(text.split("from 0 to ")[1].split()[0])
    heap, done = [(0, 0)], set()
    while heap:
        minutes, place = heapq.heappop(heap)
        if place == goal:
            return str(minutes)
        if place in done:
            continue
        done.add(place)
        for a, b, cost in roads:
            if place in (a, b):
                heapq.heappush(heap, (minutes + cost, a + b - place))


# ---- program
import re


def solve(text):
    size = int(re.search(r"crossings 0 to (\d+)", text).group(1)) + 1
    d = [[0 if i == j else 10 ** 6 for j in range(size)] for i in range(size)]
    for line in text.split("\n"):
        if re.fullmatch(r"\d+ \d+ \d+", line):
            a, b, c = map(int, line.split())
            d[a][b] = min(d[a][b], c)
            d[b][a] = min(d[b][a], c)
    for k in range(size):
        for i in range(size):
            for j in range(size):
                d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return str(d[0][size - 1])
