#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct TreeAddOneEdgeDiameter {
  static constexpr Card card{
      .name = "TreeAddOneEdgeDiameter",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task = "Add one edge to a tree so that the greatest distance becomes as small as possible.",
      .levels = "The tree has 4 vertices, and one more each level.",
      .rewards =
          "-1 malformed or not two numbers, -0.5 not vertices, else (least diameter / "
          "diameter)^5.",
      .differences =
          "Trees are long or bushy to different degrees, the least diameter is not 0, and an edge "
          "without use is never right. From 6 vertices on, a problem is drawn again that is solved "
          "by joining the ends of the longest path, its quarters, or its middle and an end.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "A small tree, at level 0, has few pairs of vertices, and whatever edge is added to a "
          "larger one, the diameter is seldom many times the least one.",
      .guess_until_level = 0,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kRulesFrom = 6;
  static constexpr int kDraws = 300;
  static constexpr int kMaxN = 200;
  static constexpr std::int64_t kMaxLength = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;  // vertices from 1
    std::int64_t L = 0;
    std::int64_t gold_answer = 0;  // the least diameter
    REDQUEEN_FIELDS(N, edges, L, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // both ends

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] { return drawn(config.N, random_shaped_tree(rng.permutation(config.N), rng), rng); },
        [&](const Problem& problem) {
          if (problem.gold_answer == 0) return false;
          if (config.N >= kRulesFrom) return !some_rule_solves<TreeAddOneEdgeDiameter>(problem);
          return score(problem, {1, 1}) < kSolvedReward;
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    return drawn(config.N, random_recursive_tree(rng.permutation(config.N), rng), rng);
  }

  static Problem drawn(int n, const std::vector<Edge>& tree, Rng& rng) {
    Problem problem{.N = n, .edges = weigh_edges(relabelled(tree, 1), 0, n, rng)};
    problem.L = rng.integer(0, n);
    problem.gold_answer = Spine(problem).least_diameter();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, ends_of(problem.edges), 1, 2, kMaxN));
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 0, kMaxLength));
    }
    RETURN_IF_ERROR(within("L", problem.L, 0, kMaxLength));
    return reference_is("gold_answer", problem.gold_answer, Spine(problem).least_diameter());
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 1 to {}. Each of these lines gives an edge: its two ends and its "
        "length.\n"
        "{}\n"
        "Edges can be walked along in both directions. The distance of two vertices is the "
        "length of a shortest way between them, and the diameter of a graph is the greatest "
        "distance of two of its vertices. One edge of length {} is added between two vertices x "
        "and y; these may be equal, or joined by an edge already. Choose x and y such that the "
        "diameter of the new graph is as small as possible.\n"
        "Answer with x and y on one line, separated by a space.",
        problem.N, format_edges(problem.edges), problem.L);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto answer = parse_int_list(text);
    if (answer && answer->size() != 2) answer.reset();
    return answer;
  }

  static double score(const Problem& problem, const Answer& answer) {
    for (const std::int64_t vertex : answer) {
      if (vertex < 1 || vertex > problem.N) return kInvalidReward;
    }
    return minimise_reward(
        diameter_with(problem, static_cast<int>(answer[0]) - 1, static_cast<int>(answer[1]) - 1),
        problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return Spine(problem).best_ends(); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return {rng.integer(1, problem.N), rng.integer(1, problem.N)};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Spine spine(problem);
    const auto at = [&](int quarter) { return spine.vertex_near(quarter); };
    return {{"no change", {1, 1}},
            {"the ends of the longest path", {at(0), at(4)}},
            {"the quarters of the longest path", {at(1), at(3)}},
            {"the middle and an end of the longest path", {at(0), at(2)}}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::vector<Edge> ends_from_zero(const Problem& problem) {
    return relabelled(ends_of(problem.edges), -1);
  }

  // Of the graph with the new edge between x and y, counted from 0. O(N²).
  static std::int64_t diameter_with(const Problem& problem, int x, int y) {
    const std::vector<Edge> ends = ends_from_zero(problem);
    const auto distances_from = [&](int v) {
      return depths(*root_tree(problem.N, ends, v), problem.edges);
    };
    const auto from_x = distances_from(x);
    const auto from_y = distances_from(y);
    std::int64_t diameter = 0;
    for (int u = 0; u < problem.N; ++u) {
      const auto from_u = distances_from(u);
      for (int v = 0; v < u; ++v) {
        const std::int64_t over =
            problem.L + std::min(from_x[u] + from_y[v], from_y[u] + from_x[v]);
        diameter = std::max(diameter, std::min(from_u[v], over));
      }
    }
    return diameter;
  }

  // A longest path of the tree and what branches off it. Some best edge joins two vertices of this
  // path, and of a branch nothing counts but its deepest vertex and its own diameter.
  class Spine {
   public:
    explicit Spine(const Problem& problem) : added_(problem.L) {
      const std::vector<Edge> ends = ends_from_zero(problem);
      std::vector<WeightedEdge> edges;
      edges.reserve(ends.size());
      for (std::size_t i = 0; i < ends.size(); ++i) {
        edges.emplace_back(ends[i].first, ends[i].second, std::get<2>(problem.edges[i]));
      }
      path_ = longest_path(problem.N, edges);
      const RootedTree tree = *root_tree(problem.N, ends, path_.front());
      const std::vector<std::int64_t> depth = depths(tree, edges);
      std::vector<int> place(problem.N, -1);  // on the path
      for (std::size_t i = 0; i < path_.size(); ++i) {
        place[path_[i]] = static_cast<int>(i);
        position_.push_back(depth[path_[i]]);
      }
      std::vector<std::int64_t> below(problem.N);  // the deepest vertex below, off the path
      for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
        const int v = tree.order[i];
        if (place[v] >= 0) continue;
        const int parent = tree.parent[v];
        const std::int64_t arm = below[v] + depth[v] - depth[parent];
        widest_branch_ = std::max(widest_branch_, below[parent] + arm);
        below[parent] = std::max(below[parent], arm);
      }
      for (const int v : path_) branch_.push_back(below[v]);
    }

    std::int64_t least_diameter() const {
      std::int64_t low = widest_branch_;
      std::int64_t high = position_.back();
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (ends_within(middle)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }

    Answer best_ends() const {
      const auto [a, b] = *ends_within(least_diameter());
      return {path_[a] + 1, path_[b] + 1};
    }

    // The vertex of the path that is nearest to so many quarters of its length.
    std::int64_t vertex_near(int quarter) const {
      const auto nearest = std::ranges::min_element(position_, {}, [&](std::int64_t position) {
        return std::abs(4 * position - quarter * position_.back());
      });
      return path_[nearest - position_.begin()] + 1;
    }

   private:
    // Places of the path between which the new edge brings the diameter to no more than `limit`, if
    // there are any. For places i < j whose branches are too far from each other along the path,
    // |p_i − x| + |p_j − y| ≤ slack bounds x + y and x − y, where x ≤ y are the positions of the
    // ends. O(length²).
    std::optional<std::pair<std::size_t, std::size_t>> ends_within(std::int64_t limit) const {
      std::int64_t least_sum = -kFar;
      std::int64_t greatest_sum = kFar;
      std::int64_t least_difference = -kFar;
      std::int64_t greatest_difference = kFar;
      for (std::size_t j = 1; j < path_.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
          const std::int64_t branches = branch_[i] + branch_[j];
          if (branches + position_[j] - position_[i] <= limit) continue;
          const std::int64_t slack = limit - branches - added_;
          if (slack < 0) return std::nullopt;
          const std::int64_t sum = position_[i] + position_[j];
          const std::int64_t difference = position_[i] - position_[j];
          least_sum = std::max(least_sum, sum - slack);
          greatest_sum = std::min(greatest_sum, sum + slack);
          least_difference = std::max(least_difference, difference - slack);
          greatest_difference = std::min(greatest_difference, difference + slack);
        }
      }
      for (std::size_t b = 0; b < path_.size(); ++b) {
        for (std::size_t a = 0; a <= b; ++a) {
          const std::int64_t sum = position_[a] + position_[b];
          const std::int64_t difference = position_[a] - position_[b];
          if (sum >= least_sum && sum <= greatest_sum && difference >= least_difference &&
              difference <= greatest_difference) {
            return std::pair(a, b);
          }
        }
      }
      return std::nullopt;
    }

    static constexpr std::int64_t kFar = std::int64_t{1} << 60;

    std::int64_t added_;
    std::vector<int> path_;               // vertices from 0
    std::vector<std::int64_t> position_;  // of the path's vertices, from its first one
    std::vector<std::int64_t> branch_;    // the depth of what hangs at each
    std::int64_t widest_branch_ = 0;      // the greatest diameter of a branch
  };
};
REDQUEEN_ENVIRONMENT(TreeAddOneEdgeDiameter);

}  // namespace
}  // namespace redqueen
