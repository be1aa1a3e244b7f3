# expect: sound
import heapq
import random


class TopologicalOrder(VerifiableEnvironment):
    prompt_template = "Tasks 0 to {last}. Rules (first before second): {rules}. Give any order of all tasks that keeps the rules, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = random.Random(seed)
        n = 4 + difficulty
        order = list(range(n))
        rng.shuffle(order)
        self.n = n
        self.edges = sorted({(order[i], order[j]) for _ in range(2 * n)
                             for i, j in [sorted(rng.sample(range(n), 2))]})
        indegree = [0] * n
        for _, v in self.edges:
            indegree[v] += 1
        heap = [v for v in range(n) if indegree[v] == 0]
        self.ref_answer = []
        while heap:
            u = heapq.heappop(heap)
            self.ref_answer.append(u)
            for a, b in self.edges:
                if a == u:
                    indegree[b] -= 1
                    if indegree[b] == 0:
                        heapq.heappush(heap, b)

    def _prompt_generate(self):
        return self.prompt_template.format(last=self.n - 1, rules=", ".join(f"{a}<{b}" for a, b in self.edges))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if sorted(parsed) != list(range(self.n)):
            return -0.5
        place = {task: index for index, task in enumerate(parsed)}
        return 1.0 if all(place[a] < place[b] for a, b in self.edges) else 0.0
