#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MinimumTreeWeightedDominatingAncestor {
  static constexpr Card card{
      .name = "MinimumTreeWeightedDominatingAncestor",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose K vertices of a rooted tree such that the ways of all vertices up to the nearest "
          "chosen one, or the root, cost as little as possible together.",
      .levels =
          "From 3 vertices besides the root, a tenth and one more a level. Beyond level 33, the "
          "best choice would take long to find.",
      .rewards =
          "-1 malformed, -0.5 another number of vertices or one that does not exist or comes "
          "twice, else (least cost / cost)^5.",
      .differences =
          "A vertex named twice is invalid. Trees are long, bushy or neither, and the least cost "
          "is never 0. From 5 vertices on, a problem is drawn again that is solved by the dearest "
          "vertices, those with the dearest edges, the dearest subtrees, or by adding the vertex "
          "that saves most, again and again.",
      .slow_reason = SlowReason::kStricter,
      .source = "IOI 2005: Rivers",
      .max_level = 33,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 1000;
  static constexpr int kMaxN = 200;
  static constexpr std::int64_t kLargest = 10;  // weights and costs
  static constexpr std::int64_t kMaxNumber = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  using Parent = std::optional<std::pair<int, std::int64_t>>;  // and the weight; none of the root
  struct Problem {
    int N = 0;
    std::vector<Parent> parents;
    std::vector<std::int64_t> C;  // C[0] = 0
    int K = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, parents, C, K, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, random_shaped_tree, rng); },
        [&](const Problem& draft) {
          return draft.gold_answer > 0 &&
                 (config.N < kFewVertices ||
                  !some_rule_is_best<MinimumTreeWeightedDominatingAncestor>(
                      draft, [&](const Answer& chosen) {
                        return cost_of(draft, chosen) == draft.gold_answer;
                      }));
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    return drawn(config, random_recursive_tree, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("parents", std::ssize(problem.parents), problem.N + 1, problem.N + 1));
    if (problem.parents[0]) return failure("\"parents\": the root has none");
    for (int v = 1; v <= problem.N; ++v) {
      if (!problem.parents[v]) return failure("\"parents\": vertex {} has none", v);
      RETURN_IF_ERROR(within("parents", problem.parents[v]->first, 0, problem.N));
      RETURN_IF_ERROR(within("parents", problem.parents[v]->second, 1, kMaxNumber));
    }
    if (!root_tree(problem.N + 1, edges_of(problem), 0)) {
      return failure("\"parents\": there are vertices that are not below the root");
    }
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N + 1, 0, kMaxNumber));
    if (problem.C[0] != 0) return failure("\"C\": the root costs nothing");
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    std::vector<WeightedEdge> edges;
    for (int v = 1; v <= problem.N; ++v) {
      edges.emplace_back(problem.parents[v]->first, v, problem.parents[v]->second);
    }
    return fmt::format(
        "A rooted tree has the vertices 0 to {0}; its root is 0. Each line gives a vertex, one of "
        "its children, and the weight of the edge between them:\n"
        "{1}\n"
        "The vertices 1 to {0} have these costs:\n"
        "{2}\n"
        "Choose exactly {3} of the vertices 1 to {0}; vertex 0 counts as chosen in any case. For "
        "a vertex v, let D[v] be the sum of the weights of the edges on the way from v up to the "
        "nearest chosen vertex, which is v itself if v is chosen. Make the sum of C[v]·D[v] over "
        "all vertices v as small as possible.\n"
        "Answer with the {4} in any order on one line{5}.",
        problem.N, format_edges(edges), with_indices("C", std::span(problem.C).subspan(1), 1),
        problem.K, problem.K == 1 ? "chosen vertex" : fmt::format("{} chosen vertices", problem.K),
        problem.K == 1 ? "" : ", separated by spaces");
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K) return kInvalidReward;
    std::vector<char> chosen(problem.C.size());
    for (const std::int64_t v : answer) {
      if (v < 1 || v > problem.N || std::exchange(chosen[v], 1) != 0) return kInvalidReward;
    }
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return Search(problem).best(); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(1, problem.N, problem.K);
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("the vertices of the greatest costs", greatest(problem, problem.C)) ||
        visit("the vertex that saves most, again and again", one_by_one(problem))) {
      return true;
    }
    const RootedTree tree = *root_tree(problem.N + 1, edges_of(problem), 0);
    std::vector<std::int64_t> below = problem.C;  // of whole subtrees
    std::vector<std::int64_t> edge(problem.C.size());
    for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
      const int v = tree.order[i];
      below[tree.parent[v]] += below[v];
      edge[v] = problem.C[v] * problem.parents[v]->second;
      below[v] *= problem.parents[v]->second;
    }
    return visit("the vertices of the greatest cost times weight", greatest(problem, edge)) ||
           visit("the greatest cost of a subtree times weight", greatest(problem, below));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MinimumTreeWeightedDominatingAncestor>(problem));
  }

 private:
  template <typename DrawTree>
  static Problem drawn(const Config& config, DrawTree draw_tree, Rng& rng) {
    Problem problem{.N = config.N,
                    .parents = std::vector<Parent>(static_cast<std::size_t>(config.N) + 1),
                    .C = draw_numbers(config.N + 1, 0, kLargest, rng),
                    .K = static_cast<int>(rng.integer(1, config.N - 1)),
                    .gold_answer = 0};
    problem.C[0] = 0;
    std::vector<int> order = rng.permutation(config.N + 1);
    std::swap(*std::ranges::find(order, 0), order[0]);
    for (const auto& [parent, child] : draw_tree(order, rng)) {
      problem.parents[child] = {parent, rng.integer(1, kLargest)};
    }
    problem.gold_answer = Search(problem).least();
    return problem;
  }

  static std::vector<Edge> edges_of(const Problem& problem) {
    std::vector<Edge> edges;
    for (int v = 1; v <= problem.N; ++v) edges.emplace_back(problem.parents[v]->first, v);
    return edges;
  }

  static std::int64_t cost_of(const Problem& problem, const Answer& answer) {
    std::vector<char> chosen(problem.C.size());
    chosen[0] = 1;
    for (const std::int64_t v : answer) chosen[v] = 1;
    std::int64_t cost = 0;
    for (int v = 1; v <= problem.N; ++v) {
      std::int64_t distance = 0;
      for (int u = v; !chosen[u]; u = problem.parents[u]->first) {
        distance += problem.parents[u]->second;
      }
      cost += problem.C[v] * distance;
    }
    return cost;
  }

  static Answer greatest(const Problem& problem, const std::vector<std::int64_t>& values) {
    Answer order(static_cast<std::size_t>(problem.N));
    std::iota(order.begin(), order.end(), 1);
    std::ranges::stable_sort(order, std::greater(), [&](std::int64_t v) { return values[v]; });
    order.resize(static_cast<std::size_t>(problem.K));
    return order;
  }

  static Answer one_by_one(const Problem& problem) {
    Answer chosen;
    std::vector<char> is_chosen(problem.C.size());
    for (int k = 0; k < problem.K; ++k) {
      int best = 0;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (int v = 1; v <= problem.N; ++v) {
        if (is_chosen[v]) continue;
        chosen.push_back(v);
        const std::int64_t cost = cost_of(problem, chosen);
        chosen.pop_back();
        if (cost < least) {
          least = cost;
          best = v;
        }
      }
      chosen.push_back(best);
      is_chosen[best] = 1;
    }
    return chosen;
  }

  // row(v, d)[k]: the least cost of v and the vertices below it if k of them are chosen, where d is
  // the depth of the nearest chosen vertex above v. For as many as there can be, and at most K.
  struct Search {
    using Row = std::vector<std::int64_t>;  // by k

    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    const Problem& problem;
    RootedTree tree;
    std::vector<int> depths;
    std::vector<std::int64_t> ways;  // from the root, in weights
    std::vector<std::size_t> width;  // of each vertex: how long its rows are
    std::vector<std::size_t> first;  // where they begin
    std::vector<std::int64_t> rows;

    explicit Search(const Problem& of)
        : problem(of),
          tree(*root_tree(of.N + 1, edges_of(of), 0)),
          depths(of.C.size()),
          ways(of.C.size()),
          width(of.C.size()),
          first(of.C.size()) {
      const std::vector<int> sizes = subtree_sizes(tree);
      std::size_t size = 0;
      for (const int v : tree.order) {
        if (v == 0) continue;
        const int parent = tree.parent[v];
        depths[v] = depths[parent] + 1;
        ways[v] = ways[parent] + problem.parents[v]->second;
        width[v] = static_cast<std::size_t>(std::min(problem.K, sizes[v])) + 1;
        first[v] = size;
        size += width[v] * static_cast<std::size_t>(depths[v]);
      }
      rows.resize(size);
      fill_rows();
    }

    // Children come after their parents in `tree.order`, and before them here.
    void fill_rows() {
      const std::vector<std::vector<int>> children = children_of();
      Row if_chosen;
      Row row;
      for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
        const int v = tree.order[i];
        join_all(children[v], depths[v], if_chosen);
        int above = tree.parent[v];
        for (int d = depths[v] - 1; d >= 0; --d, above = tree.parent[above]) {
          join_all(children[v], d, row);
          const std::int64_t own = problem.C[v] * (ways[v] - ways[above]);
          for (std::size_t k = 0; k < width[v]; ++k) {
            std::int64_t least = kNever;
            if (k < row.size()) least = row[k] + own;
            if (k > 0) least = std::min(least, if_chosen[k - 1]);
            rows[first[v] + static_cast<std::size_t>(d) * width[v] + k] = least;
          }
        }
      }
    }

    std::vector<std::vector<int>> children_of() const {
      std::vector<std::vector<int>> children(problem.C.size());
      for (const int v : tree.order) {
        if (v != 0) children[tree.parent[v]].push_back(v);
      }
      return children;
    }

    std::span<const std::int64_t> row_of(int v, int d) const {
      return std::span(rows).subspan(first[v] + static_cast<std::size_t>(d) * width[v], width[v]);
    }

    // What these children and all below them cost together.
    void join_all(const std::vector<int>& children, int d, Row& together) const {
      together.assign(1, 0);
      for (const int child : children) join(row_of(child, d), together);
    }

    // From many to few, so that what is read is not written before.
    void join(std::span<const std::int64_t> more, Row& together) const {
      const std::size_t before = together.size();
      const auto most = static_cast<std::size_t>(problem.K);
      together.resize(std::min(before + more.size() - 1, most + 1));
      for (std::size_t k = together.size(); k-- > 0;) {
        std::int64_t least = kNever;
        const std::size_t last = std::min(k + 1, more.size());
        for (std::size_t part = k < before ? 0 : k - before + 1; part < last; ++part) {
          least = std::min(least, together[k - part] + more[part]);
        }
        together[k] = least;
      }
    }

    std::int64_t least() const {
      Row together;
      join_all(children_of()[0], 0, together);
      return together.back();
    }

    Answer best() const {
      Answer chosen;
      share_out(children_of(), 0, 0, static_cast<std::size_t>(problem.K), chosen);
      return chosen;
    }

    // Chooses k vertices below v. The depth of recursion is that of the tree.
    void share_out(const std::vector<std::vector<int>>& children, int v, int d, std::size_t k,
                   Answer& chosen) const {
      std::vector<Row> prefixes{{0}};  // the first 0, 1, … children together
      for (const int child : children[v]) {
        prefixes.push_back(prefixes.back());
        join(row_of(child, d), prefixes.back());
      }
      for (std::size_t c = children[v].size(); c-- > 0;) {
        const int child = children[v][c];
        const auto more = row_of(child, d);
        std::size_t part = k < prefixes[c].size() ? 0 : k - prefixes[c].size() + 1;
        while (prefixes[c][k - part] + more[part] != prefixes[c + 1][k]) ++part;
        choose(children, child, d, part, chosen);
        k -= part;
      }
    }

    // Chooses k vertices among v and those below it; d is the depth of the nearest chosen vertex
    // above it.
    void choose(const std::vector<std::vector<int>>& children, int v, int d, std::size_t k,
                Answer& chosen) const {
      int above = tree.parent[v];
      while (depths[above] > d) above = tree.parent[above];
      Row row;
      join_all(children[v], d, row);
      if (k < row.size() && row[k] + problem.C[v] * (ways[v] - ways[above]) == row_of(v, d)[k]) {
        share_out(children, v, d, k, chosen);
      } else {
        chosen.push_back(v);
        share_out(children, v, depths[v], k - 1, chosen);
      }
    }
  };
};
REDQUEEN_ENVIRONMENT(MinimumTreeWeightedDominatingAncestor);

}  // namespace
}  // namespace redqueen
