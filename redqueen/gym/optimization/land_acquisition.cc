#include <algorithm>
#include <functional>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/cuts.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct LandAcquisition {
  static constexpr Card card{
      .name = "LandAcquisition",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kMinimise,
      .task =
          "Divide rectangles into groups; a group costs its greatest width times its greatest "
          "length. Make the sum as small as possible.",
      .levels = "From 4 rectangles, one more a level, with sides up to N^2.",
      .rewards =
          "-1 malformed, -0.5 a rectangle is missing, repeated or does not exist, else (least cost "
          "/ cost)^5.",
      .differences =
          "Two in three rectangles are in no other: of independent ones few are. A group for each "
          "rectangle earns at most one half. From 6 on, a "
          "problem is drawn again that is solved by a group for each of these, or by joining "
          "neighbours among them while that is no dearer.",
      .source = "USACO 2008 March, Gold: Land Acquisition",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewItems = 6;
  static constexpr double kMostAlone = 0.5;
  static constexpr int kDraws = 1000;
  static constexpr std::int64_t kMaxN = 2000;
  static constexpr std::int64_t kMaxSide = 10'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> W;
    std::vector<std::int64_t> L;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, W, L, gold_answer)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;  // rectangles from 1

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          const Frontier frontier(problem);
          if (frontier.cost(two_parts(frontier)) == problem.gold_answer) return false;
          if (score(problem, alone(problem)) > kMostAlone) return false;
          if (config.N < kFewItems) return true;
          return frontier.cost(cut_by_length(frontier.size(), 1)) > problem.gold_answer &&
                 frontier.cost(joined_while_cheap(frontier)) > problem.gold_answer;
        });
  }

  // Any rectangles for which one group, two, and one for each are all too dear.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::int64_t most = std::int64_t{n} * n;
    const auto draw = [&] {
      Problem problem{.N = n,
                      .W = draw_numbers(n, 1, most, rng),
                      .L = draw_numbers(n, 1, most, rng),
                      .gold_answer = 0};
      problem.gold_answer = least_cost(problem);
      return problem;
    };
    return draw_accepted(kDraws, draw, [](const Problem& problem) {
      const Frontier frontier(problem);
      return problem.gold_answer < frontier.cost(two_parts(frontier)) &&
             problem.gold_answer < std::inner_product(problem.W.begin(), problem.W.end(),
                                                      problem.L.begin(), std::int64_t{0});
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(check_numbers("W", problem.W, problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(check_numbers("L", problem.L, problem.N, 1, kMaxSide));
    return reference_is("gold_answer", problem.gold_answer, least_cost(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.N; ++i) {
      append_format(list, "{} {} {}\n", i + 1, problem.W[i], problem.L[i]);
    }
    return fmt::format(
        "Each of these {0} lines gives the number, the width and the length of a piece of land:\n"
        "{1}"
        "Divide the pieces into groups, each piece into exactly one. A group costs the greatest "
        "width of its pieces times the greatest length of its pieces, which may be of different "
        "pieces. The sum of the costs of all groups must be as small as possible.\n"
        "Answer with one group a line: the numbers of its pieces in any order, separated by "
        "spaces.",
        problem.N, list);
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<std::int64_t> all;
    for (const auto& group : answer) all.insert(all.end(), group.begin(), group.end());
    if (!is_order(problem.N, all, 1)) return kInvalidReward;
    std::int64_t cost = 0;
    for (const auto& group : answer) {
      std::int64_t width = 0;
      std::int64_t length = 0;
      for (const std::int64_t item : group) {
        width = std::max(width, problem.W[item - 1]);
        length = std::max(length, problem.L[item - 1]);
      }
      cost += width * length;
    }
    return minimise_reward(cost, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const Frontier frontier(problem);
    return groups_of(problem, frontier,
                     cheapest_cuts(frontier.size(), std::cref(frontier)).ends(frontier.size()));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer groups(static_cast<std::size_t>(rng.integer(1, problem.N)));
    for (int item = 1; item <= problem.N; ++item) rng.choice(groups).push_back(item);
    std::erase_if(groups, [](const auto& group) { return group.empty(); });
    return groups;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Frontier frontier(problem);
    const auto named = [&](std::string rule, const Cut& cut) {
      return NamedAnswer{std::move(rule), format_answer(groups_of(problem, frontier, cut))};
    };
    return {
        named("one group", cut_by_length(frontier.size(), frontier.size())),
        {"each piece alone", format_answer(alone(problem))},
        named("the best two groups by width", two_parts(frontier)),
        named("a group for each piece that fits into no other", cut_by_length(frontier.size(), 1)),
        named("neighbours among these joined while that is no dearer",
              joined_while_cheap(frontier))};
  }

 private:
  using Cut = std::vector<std::int64_t>;

  // The pieces that fit into no other, with widths that ascend and lengths that descend. Some best
  // groups are runs of these.
  class Frontier {
   public:
    explicit Frontier(const Problem& problem) : widths_(problem.W), lengths_(problem.L) {
      std::vector<int> order(problem.W.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::sort(order, [&](int a, int b) {
        return std::pair(widths_[a], lengths_[a]) < std::pair(widths_[b], lengths_[b]);
      });
      for (const int item : order) {
        while (!items_.empty() && lengths_[items_.back()] <= lengths_[item]) items_.pop_back();
        items_.push_back(item);
      }
    }

    int size() const { return static_cast<int>(items_.size()); }

    // Of one group.
    std::int64_t operator()(std::int64_t before, std::int64_t last) const {
      return widths_[items_[last - 1]] * lengths_[items_[before]];
    }

    std::int64_t cost(const Cut& ends) const { return cost_of_cut(ends, std::cref(*this)); }

    // The first of these pieces that is no narrower, and no shorter, by its place.
    int above(int item) const {
      int place = 0;
      while (widths_[items_[place]] < widths_[item]) ++place;
      return place;
    }

   private:
    const std::vector<std::int64_t>& widths_;
    const std::vector<std::int64_t>& lengths_;
    std::vector<int> items_;
  };

  // Two random lists, one ascending and one descending, and pieces that fit into these.
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::int64_t most = std::int64_t{n} * n;
    const auto outer = static_cast<std::size_t>(std::max(4, 2 * n / 3));
    Problem problem{
        .N = n, .W = rng.sample(1, most, outer), .L = rng.sample(1, most, outer), .gold_answer = 0};
    std::ranges::sort(problem.W);
    std::ranges::sort(problem.L, std::greater());
    while (std::ssize(problem.W) < n) {
      const std::size_t around = rng.below(outer);
      problem.W.push_back(rng.integer(1, problem.W[around]));
      problem.L.push_back(rng.integer(1, problem.L[around]));
    }
    for (std::size_t i = problem.W.size(); i > 1; --i) {
      const std::size_t other = rng.below(i);
      std::swap(problem.W[i - 1], problem.W[other]);
      std::swap(problem.L[i - 1], problem.L[other]);
    }
    problem.gold_answer = least_cost(problem);
    return problem;
  }

  static std::int64_t least_cost(const Problem& problem) {
    const Frontier frontier(problem);
    return cheapest_cuts(frontier.size(), std::cref(frontier)).least.back();
  }

  // Pieces that fit into others go with them.
  static Answer groups_of(const Problem& problem, const Frontier& frontier, const Cut& ends) {
    Answer groups(ends.size());
    for (int item = 0; item < problem.N; ++item) {
      const auto run = std::ranges::upper_bound(ends, frontier.above(item)) - ends.begin();
      groups[run].push_back(item + 1);
    }
    return groups;
  }

  static Answer alone(const Problem& problem) {
    Answer groups;
    for (int item = 1; item <= problem.N; ++item) groups.push_back({item});
    return groups;
  }

  // Or one group, if that is cheaper.
  static Cut two_parts(const Frontier& frontier) {
    Cut best{frontier.size()};
    for (int first = 1; first < frontier.size(); ++first) {
      Cut ends{first, frontier.size()};
      if (frontier.cost(ends) < frontier.cost(best)) best = std::move(ends);
    }
    return best;
  }

  static Cut joined_while_cheap(const Frontier& frontier) {
    Cut ends;
    int before = 0;
    for (int last = 1; last < frontier.size(); ++last) {
      if (frontier(before, last + 1) <= frontier(before, last) + frontier(last, last + 1)) continue;
      ends.push_back(last);
      before = last;
    }
    ends.push_back(frontier.size());
    return ends;
  }
};
REDQUEEN_ENVIRONMENT(LandAcquisition);

}  // namespace
}  // namespace redqueen
