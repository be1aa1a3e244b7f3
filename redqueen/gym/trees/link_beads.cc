#include <algorithm>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct LinkBeads {
  static constexpr Card card{
      .name = "LinkBeads",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "A tree grew by hanging a new bead on by a red edge or putting it into a red edge, both "
          "halves of which turn blue. Find the greatest possible weight of the blue edges.",
      .levels =
          "From 3 beads, a tenth and one more a level. Beyond level 50, the list of edges would be "
          "too long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are long, bushy or neither; half of those with 5 beads are stars. From 6 beads "
          "on, a problem is drawn again in which all edges, all but the lightest, or the heaviest "
          "pairs of edges at one bead have the right weight.",
      .small_answer_space =
          "In a tree of up to 5 beads, at levels 0 to 2, all edges can be blue, unless it is a "
          "star, of which the two heaviest can.",
      .guess_until_level = 2,
      .source = "APIO 2014: Beads and wires",
      .max_level = 50,
  };

  static constexpr int kFewBeads = 6;
  static constexpr int kStarBeads = 5;
  static constexpr int kDraws = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& draft) {
          return config.N < kFewBeads || !some_rule_solves<LinkBeads>(draft);
        });
    rng.shuffle(problem.edges);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .edges = weigh_edges(random_recursive_tree(rng.permutation(config.N), rng), 1,
                                         config.N, rng),
                    .reference_answer = 0};
    problem.reference_answer = most_blue(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, ends_of(problem.edges)));
    for (const auto& [a, b, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 1, kMaxWeight));
    }
    return reference_is("reference_answer", problem.reference_answer, most_blue(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree of beads grew step by step. At first there was a single bead and no edge. Each "
        "step added a new bead x in one of two ways:\n"
        "- x was joined to a bead that was there by a red edge;\n"
        "- a red edge between two beads u and v was removed, and x was joined to u and to v by "
        "two blue edges.\n"
        "The weights of edges that were removed do not matter. In the end, the beads are 0 to {} "
        "and the edges are these, each given by its two ends and its weight; their colours and the "
        "order of the steps are not known:\n"
        "{}\n"
        "What is the greatest possible sum of the weights of all blue edges?\n"
        "Answer with one integer.",
        problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer sum = 0;
    for (const auto& [a, b, weight] : problem.edges) sum += weight;
    return rng.integer(sum / 2, sum);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer sum = 0;
    Answer least = kMaxWeight;
    for (const auto& [a, b, weight] : problem.edges) {
      sum += weight;
      least = std::min(least, weight);
    }
    return {{"the weight of all edges", sum},
            {"the weight of all edges but the lightest", sum - least},
            {"the heaviest pairs at one bead, again and again", heaviest_pairs(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    const std::vector<int> order = rng.permutation(config.N);
    std::vector<Edge> edges;
    if (config.N == kStarBeads && rng.chance(0.5)) {
      for (int i = 1; i < config.N; ++i) edges.emplace_back(order[0], order[i]);
    } else {
      edges = random_shaped_tree(order, rng);
    }
    Problem problem{.N = config.N,
                    .edges = weigh_edges(std::move(edges), 1, config.N, rng),
                    .reference_answer = 0};
    problem.reference_answer = most_blue(problem);
    return problem;
  }

  // Seen from the first bead, blue edges come in pairs: from a parent to a child and on to one of
  // its children. Every bead is tried as the first. free[v] is the most blue weight below v if the
  // edge to its parent is not in a pair with one below, pair[v] if it is, that edge included.
  static Answer most_blue(const Problem& problem) {
    const std::vector<Edge> ends = ends_of(problem.edges);
    constexpr Answer kNever = std::numeric_limits<Answer>::min() / 2;
    Answer most = 0;
    std::vector<Answer> free(static_cast<std::size_t>(problem.N));
    std::vector<Answer> gain(static_cast<std::size_t>(problem.N));  // most for an edge below v
    for (int root = 0; root < problem.N; ++root) {
      const RootedTree tree = *root_tree(problem.N, ends, root);
      std::ranges::fill(free, 0);
      std::ranges::fill(gain, kNever);
      for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
        const int v = tree.order[i];
        const Answer weight = std::get<2>(problem.edges[tree.edge[v]]);
        const Answer pair = free[v] + gain[v] + weight;
        const Answer best = std::max(free[v], pair);
        free[tree.parent[v]] += best;
        gain[tree.parent[v]] = std::max(gain[tree.parent[v]], free[v] + weight - best);
      }
      most = std::max(most, free[root]);
    }
    return most;
  }

  // Takes the two heaviest free edges at one bead, the most weight first, until no bead has two.
  static Answer heaviest_pairs(const Problem& problem) {
    std::vector<WeightedEdge> left = problem.edges;
    std::ranges::sort(left, std::greater(), [](const WeightedEdge& e) { return std::get<2>(e); });
    Answer sum = 0;
    while (true) {
      Answer most = 0;
      std::pair<std::size_t, std::size_t> best;
      for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t k = i + 1; k < left.size(); ++k) {
          const auto& [a, b, first] = left[i];
          const auto& [c, d, second] = left[k];
          if (a != c && a != d && b != c && b != d) continue;
          if (first + second > most) {
            most = first + second;
            best = {i, k};
          }
          break;
        }
      }
      if (most == 0) return sum;
      sum += most;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best.second));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best.first));
    }
  }
};
REDQUEEN_ENVIRONMENT(LinkBeads);

}  // namespace
}  // namespace redqueen
