#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct TriumphalArch {
  static constexpr Card card{
      .name = "TriumphalArch",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "A painter paints K vertices of a tree a turn and wants to stay ahead of a walker. Find "
          "the least K.",
      .levels = "The tree has 3 vertices and one more each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are bushy to different degrees, and of several draws every answer is as likely. "
          "From 7 vertices on, the answer is not the number of neighbours of vertex 0.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The answer lies between the number of neighbours of vertex 0 and the greatest number "
          "of neighbours, so that there are few: two up to level 4, and up to level 20 one of "
          "them is right in a fifth of the problems.",
      .guess_until_level = 20,
      .source = "POI XX (2012/13): Triumphal arch (LUK)",
  };

  static constexpr int kDraws = 12;       // among which answers are made as likely
  static constexpr int kFewVertices = 7;  // in smaller trees, vertex 0 nearly always decides

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // smaller vertex first; vertices from 0
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_spread(kDraws, rng, [&] {
      Problem draft{.N = config.N, .edges = draw_tree(config.N, rng), .reference_answer = 0};
      const std::int64_t answer = least_paint(draft);
      draft.reference_answer = answer;
      using Draft = std::pair<std::int64_t, Problem>;
      if (config.N >= kFewVertices && answer == degree(draft, 0)) return std::optional<Draft>();
      return std::optional<Draft>({answer, std::move(draft)});
    });
    disguise_edges(problem.edges, rng);
    return problem;
  }

  // Each vertex of a random order joins one of those before it.
  static Problem published(const Config& config, Rng& rng) {
    const std::vector<int> order = rng.permutation(config.N);
    Problem problem{.N = config.N, .edges = {}, .reference_answer = 0};
    for (std::int64_t i = 1; i < config.N; ++i) {
      problem.edges.push_back(std::minmax(order[i], order[rng.integer(0, i - 1)]));
    }
    rng.shuffle(problem.edges);
    problem.reference_answer = least_paint(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 2 || problem.N > kMaxVertices) {
      return failure("\"N\": expected 2 to {} vertices, found {}", kMaxVertices, problem.N);
    }
    if (!root_tree(problem.N, problem.edges, 0)) {
      return failure("\"edges\": not the edges of a tree on the vertices 0 to \"N\" - 1");
    }
    return reference_is("reference_answer", problem.reference_answer, least_paint(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "Vertex 0 is black, all other vertices are white, and a walker stands on vertex 0. A round "
        "goes like this: first a painter paints up to K vertices of his choice black, wherever "
        "they are; they stay black. Then the walker moves to a neighbour of his vertex or stays. "
        "The walker wins as soon as he stands on a white vertex; the painter wins when all "
        "vertices are black. Both know everything and play as well as possible. What is the least "
        "integer K with which the painter wins?\n"
        "Answer with one integer.",
        problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, most_children(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the neighbours of vertex 0", format_answer(degree(problem, 0))},
            {"the most children of a vertex", format_answer(most_children(problem))}};
  }

 private:
  // Every vertex joins one of the vertices so far, which with some chance is one of the first few:
  // the fewer, the bushier. Labels are random, but 0 is not always in the middle of things.
  static std::vector<Edge> draw_tree(int n, Rng& rng) {
    const std::vector<int> order = rng.permutation(n);
    const std::int64_t most_hubs = rng.integer(1, n);
    const std::int64_t hubs = rng.integer(1, most_hubs);
    const double bushiness = rng.real(0.2, 1.0);
    std::vector<Edge> edges;
    for (std::int64_t i = 1; i < n; ++i) {
      const bool at_hub = rng.chance(bushiness);
      const std::int64_t last = at_hub ? std::min(i, hubs) - 1 : i - 1;
      edges.emplace_back(order[rng.integer(0, last)], order[i]);
    }
    return edges;
  }

  static std::int64_t degree(const Problem& problem, int vertex) {
    return std::ranges::count_if(problem.edges, [&](const Edge& edge) {
      return edge.first == vertex || edge.second == vertex;
    });
  }

  static std::vector<std::int64_t> children_of(const RootedTree& tree) {
    std::vector<std::int64_t> children(tree.order.size(), 0);
    for (const int parent : tree.parent) {
      if (parent >= 0) ++children[parent];
    }
    return children;
  }

  static std::int64_t most_children(const Problem& problem) {
    return std::ranges::max(children_of(*root_tree(problem.N, problem.edges, 0)));
  }

  static std::int64_t least_paint(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    const std::vector<std::int64_t> children = children_of(tree);
    std::int64_t low = children[0];
    std::int64_t high = std::ranges::max(children);
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (suffices(tree, children, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // debt[v]: how many vertices below v must be black before the walker comes to v, for the painter
  // to stay ahead of him from there on. Turning back never helps the walker.
  static bool suffices(const RootedTree& tree, const std::vector<std::int64_t>& children,
                       std::int64_t paint) {
    std::vector<std::int64_t> debt(tree.order.size(), 0);  // of the children, then of the vertex
    for (std::size_t i = tree.order.size(); i-- > 0;) {
      const int v = tree.order[i];
      debt[v] = std::max<std::int64_t>(0, debt[v] + children[v] - paint);
      if (i > 0) debt[tree.parent[v]] += debt[v];
    }
    return debt[0] == 0;
  }
};
REDQUEEN_ENVIRONMENT(TriumphalArch);

}  // namespace
}  // namespace redqueen
