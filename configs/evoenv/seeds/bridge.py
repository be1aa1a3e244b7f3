from collections import Counter


class Bridge(VerifiableEnvironment):
    prompt_template = (
        "An undirected graph, not necessarily connected, has the vertices 0 to {last} and these {count} edges, one a "
        "line:\n"
        "{edges}\n"
        "An edge is a bridge if without it there is no path between its two ends. List all bridges; there is at "
        "least one.\n"
        "Answer with the two ends of each bridge, all on one line and separated by spaces: u1 v1 u2 v2 and so on. "
        "The order of the bridges and of the ends of a bridge is free.")

    densities = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)
    shares = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8)

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        N = grow(4, difficulty)
        while True:
            density = rng.choice(self.densities)
            component_num = rng.choice(sorted({int(share * N) for share in self.shares if int(share * N) >= 2}))
            edges = self._draw(rng, N, density, component_num)
            bridges = self._bridges(N, edges)
            degree = Counter(vertex for edge in edges for vertex in edge)
            at_leaves = [edge for edge in edges if 1 in (degree[edge[0]], degree[edge[1]])]
            if len(bridges) < len(edges) and (N < 6 or bridges != at_leaves):
                break
        self.parameter = {"N": N, "component_num": component_num, "edge_density": density, "edges": edges}
        self.ref_answer = [vertex for edge in bridges for vertex in edge]

    def _draw(self, rng, N, density, component_num):
        # Groups in a tree of single edges, then edges inside the groups. From 6 vertices on the first group of four or
        # more is a single cycle, so that an edge in no triangle need not be a bridge.
        least = 4 if N >= 6 else 1
        together = least if least > 1 and 2 * component_num > N else 0
        groups = []
        while len(groups) < 2 or max(map(len, groups)) < least:
            groups = [[] for _ in range(component_num)]
            order = list(range(N))
            rng.shuffle(order)
            for place, vertex in enumerate(order):
                (groups[0] if place < together else rng.choice(groups)).append(vertex)
            groups = [group for group in groups if group]
        edges, earlier = [], []
        for group in groups:
            if earlier:
                edges.append(sorted((rng.choice(earlier), rng.choice(group))))
            earlier += group
        cycle = next((group for group in groups if len(group) >= 4), []) if N >= 6 else []
        inner = [sorted((u, v)) for group in groups if group is not cycle for i, u in enumerate(group)
                 for v in group[i + 1:]]
        around = list(cycle)
        rng.shuffle(around)
        edges += [sorted(pair) for pair in zip(around, around[1:] + around[:1])]
        rng.shuffle(inner)
        edges += inner[:max(3, N // 2, int(density * (N * (N - 1) // 2)) - len(edges))]
        rng.shuffle(edges)
        return edges

    def _bridges(self, N, edges):
        # An edge of a spanning forest is a bridge unless another edge closes a cycle over it.
        neighbours = [[] for _ in range(N)]
        for index, (u, v) in enumerate(edges):
            neighbours[u].append((v, index))
            neighbours[v].append((u, index))
        parent, depth, forest = [None] * N, [None] * N, set()
        for root in range(N):
            if depth[root] is not None:
                continue
            depth[root], queue = 0, [root]
            for u in queue:
                for v, index in neighbours[u]:
                    if depth[v] is None:
                        parent[v], depth[v] = (u, index), depth[u] + 1
                        forest.add(index)
                        queue.append(v)
        covered = set()
        for index, (u, v) in enumerate(edges):
            while index not in forest and u != v:
                if depth[u] < depth[v]:
                    u, v = v, u
                u, edge = parent[u]
                covered.add(edge)
        return [edge for index, edge in enumerate(edges) if index in forest - covered]

    def _prompt_generate(self):
        edges = self.parameter["edges"]
        lines = "\n".join(f"{u} {v}" for u, v in edges)
        return self.prompt_template.format(last=self.parameter["N"] - 1, count=len(edges), edges=lines)

    def _process(self, response):
        ends = parse_int_list(response)
        return None if ends is None or len(ends) % 2 else ends

    def scorer(self, parsed):
        bridges = {frozenset(self.ref_answer[i:i + 2]) for i in range(0, len(self.ref_answer), 2)}
        listed = [frozenset(parsed[i:i + 2]) for i in range(0, len(parsed), 2)]
        if len(set(listed)) < len(listed) or not bridges.issuperset(listed):
            return -0.5
        return share_reward(len(listed), len(bridges), 5.0)
