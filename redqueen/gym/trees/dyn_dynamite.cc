#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct DynDynamite {
  static constexpr Card card{
      .name = "DynDynamite",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose M vertices of a tree such that the greatest distance of a key vertex to the "
          "nearest of them is as small as possible.",
      .levels = "The tree has 3 vertices and one more each level.",
      .rewards =
          "-1 malformed, -0.5 another number of vertices or one that does not exist, else (least "
          "distance / distance)^5.",
      .differences =
          "Trees are long, bushy or neither. From 5 vertices on, M is less than half of them, and "
          "a problem is drawn again that is solved by the first M vertices or the last, the first "
          "M key vertices, those with most neighbours, by always adding the key vertex that is "
          "farthest from those chosen, or by one of four random choices.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Of 5 vertices, at level 2, one or two are chosen, and where the rules fail, a constant "
          "or a random choice is right in three of ten problems.",
      .guess_until_level = 2,
      .source = "POI XVIII (2010/11): Dynamite (DYN)",
      .version = 2,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 5;
  static constexpr int kTrees = 200;  // drawn at most
  static constexpr int kKeySets = 8;  // drawn for a tree
  static constexpr int kGuesses = 4;  // random choices, none of which may be right

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::vector<std::int64_t> key_vertices;
    int M = 0;
    std::int64_t gold_answer = 0;  // the least distance
    REDQUEEN_FIELDS(N, edges, key_vertices, M, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  // A tree and all its distances, for many choices of vertices.
  struct Field {
    RootedTree tree;
    std::vector<std::vector<int>> distances;

    explicit Field(const Problem& problem)
        : tree(*root_tree(problem.N, problem.edges, 0)), distances(tree_distances(tree)) {}

    int to_nearest(std::int64_t vertex, const Answer& chosen) const {
      int nearest = std::numeric_limits<int>::max();
      for (const std::int64_t v : chosen) nearest = std::min(nearest, distances[vertex][v]);
      return nearest;
    }
  };

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    // Half of the vertices are within an edge of all others, more are too easy to choose.
    const auto chosen = rng.integer(1, n < kFewVertices ? n - 1 : (n - 1) / 2);
    for (int draw = 0; draw < kTrees; ++draw) {
      Problem problem{.N = n,
                      .edges = random_shaped_tree(rng.permutation(n), rng),
                      .key_vertices = {},
                      .M = static_cast<int>(chosen),
                      .gold_answer = 0};
      const Field field(problem);
      for (int keys = 0; keys < kKeySets; ++keys) {
        problem.key_vertices = rng.sample(0, n - 1, rng.integer(chosen + 1, n));
        problem.gold_answer = least_distance(problem, field.tree);
        if (n >= kFewVertices && is_easy(problem, field, rng)) continue;
        disguise_edges(problem.edges, rng);
        return problem;
      }
    }
    throw Retry();
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto keys = rng.integer(2, n);
    Problem problem{.N = n,
                    .edges = draw_connected_edges(n, 0, rng),
                    .key_vertices = rng.sample(0, n - 1, static_cast<std::size_t>(keys)),
                    .M = static_cast<int>(rng.integer(1, keys - 1)),
                    .gold_answer = 0};
    problem.gold_answer = least_distance(problem, *root_tree(n, problem.edges, 0));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    RETURN_IF_ERROR(check_numbers("key_vertices", problem.key_vertices,
                                  std::ssize(problem.key_vertices), 0, problem.N - 1));
    RETURN_IF_ERROR(within("key_vertices", std::ssize(problem.key_vertices), 1, problem.N));
    RETURN_IF_ERROR(within("M", problem.M, 1, problem.N));
    return reference_is<std::int64_t>(
        "gold_answer", problem.gold_answer,
        least_distance(problem, *root_tree(problem.N, problem.edges, 0)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "These are its key vertices: {}\n"
        "Choose {} {}, key vertices or others. For each key vertex, count the edges on the path "
        "to the nearest chosen vertex; the greatest of these counts is to be as small as "
        "possible.\n"
        "Answer with {} on one line, in any order{}.",
        problem.N - 1, format_edges(problem.edges), format_answer(problem.key_vertices), problem.M,
        problem.M == 1 ? "vertex" : "vertices",
        problem.M == 1 ? "the chosen vertex" : fmt::format("the {} chosen vertices", problem.M),
        problem.M == 1 ? "" : ", separated by spaces; naming one twice is allowed");
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.M) return kInvalidReward;
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N) return kInvalidReward;
    }
    return minimise_reward(farthest_key(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    Answer chosen = centres(tree, key_flags(problem), least_distance(problem, tree));
    std::vector<char> is_chosen(tree.order.size());
    for (const std::int64_t v : chosen) is_chosen[v] = 1;
    for (int v = 0; std::ssize(chosen) < problem.M; ++v) {
      if (!is_chosen[v]) chosen.push_back(v);
    }
    return chosen;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 1, problem.M);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem, const Field& field) {
    const std::vector<int> degree = degrees(problem.N, problem.edges);
    const Answer vertices = all_vertices(problem);
    const Answer backwards(vertices.rbegin(), vertices.rend());
    Answer busiest = vertices;
    std::ranges::stable_sort(busiest, std::greater(), [&](std::int64_t v) { return degree[v]; });
    return {{"the first M key vertices", first_of(problem, problem.key_vertices)},
            {"the M vertices with most neighbours", first_of(problem, busiest)},
            {"the farthest key vertex, again and again", farthest_first(problem, field)},
            {"the first M vertices", first_of(problem, vertices)},
            {"the last M vertices", first_of(problem, backwards)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem, Field(problem)));
  }

 private:
  static Answer all_vertices(const Problem& problem) {
    Answer vertices(static_cast<std::size_t>(problem.N));
    std::iota(vertices.begin(), vertices.end(), 0);
    return vertices;
  }

  // M of them; vertex 0 makes up for those that there are not.
  static Answer first_of(const Problem& problem, Answer vertices) {
    vertices.resize(static_cast<std::size_t>(problem.M));
    return vertices;
  }

  // Whether a rule or one of a few random choices solves it.
  static bool is_easy(const Problem& problem, const Field& field, Rng& rng) {
    const auto solves = [&](const Answer& chosen) {
      return farthest_key(problem, field, chosen) <= problem.gold_answer;
    };
    for (int guess = 0; guess < kGuesses; ++guess) {
      if (solves(random_answer(problem, rng))) return true;
    }
    return std::ranges::any_of(rules(problem, field),
                               [&](const auto& rule) { return solves(rule.answer); });
  }

  static std::int64_t farthest_key(const Problem& problem, const Answer& chosen) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    const std::vector<int> distances = distances_to_nearest(tree, chosen);
    std::int64_t farthest = 0;
    for (const std::int64_t v : problem.key_vertices) {
      farthest = std::max<std::int64_t>(farthest, distances[v]);
    }
    return farthest;
  }

  static std::int64_t farthest_key(const Problem& problem, const Field& field,
                                   const Answer& chosen) {
    int farthest = 0;
    for (const std::int64_t v : problem.key_vertices) {
      farthest = std::max(farthest, field.to_nearest(v, chosen));
    }
    return farthest;
  }

  static std::vector<char> key_flags(const Problem& problem) {
    std::vector<char> is_key(static_cast<std::size_t>(problem.N));
    for (const std::int64_t v : problem.key_vertices) is_key[v] = 1;
    return is_key;
  }

  static int least_distance(const Problem& problem, const RootedTree& tree) {
    const std::vector<char> is_key = key_flags(problem);
    int low = 0;
    int high = problem.N;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (std::ssize(centres(tree, is_key, middle)) <= problem.M) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // The fewest vertices such that each key vertex is at most `radius` edges from one of them: going
  // up from the leaves, one is chosen only when a key vertex below could not wait for another.
  static Answer centres(const RootedTree& tree, const std::vector<char>& is_key, int radius) {
    const int far_away = 3 * static_cast<int>(tree.order.size());
    std::vector<int> centre(tree.order.size(), far_away);  // distance of the nearest below
    std::vector<int> open(tree.order.size(), -far_away);   // of the farthest key not near one
    Answer chosen;
    for (std::size_t i = tree.order.size(); i-- > 0;) {
      const int v = tree.order[i];
      if (is_key[v]) open[v] = std::max(open[v], 0);
      if (open[v] + centre[v] <= radius) open[v] = -far_away;
      if (open[v] == radius || (i == 0 && open[v] >= 0)) {
        chosen.push_back(v);
        centre[v] = 0;
        open[v] = -far_away;
      }
      if (i == 0) break;
      const int parent = tree.parent[v];
      centre[parent] = std::min(centre[parent], centre[v] + 1);
      open[parent] = std::max(open[parent], open[v] + 1);
    }
    return chosen;
  }

  static Answer farthest_first(const Problem& problem, const Field& field) {
    Answer chosen{problem.key_vertices.front()};
    while (std::ssize(chosen) < problem.M) {
      chosen.push_back(*std::ranges::max_element(
          problem.key_vertices, {}, [&](std::int64_t v) { return field.to_nearest(v, chosen); }));
    }
    return chosen;
  }
};
REDQUEEN_ENVIRONMENT(DynDynamite);

}  // namespace
}  // namespace redqueen
