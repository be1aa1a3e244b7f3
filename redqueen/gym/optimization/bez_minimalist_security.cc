#include <algorithm>
#include <array>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct BEZMinimalistSecurity {
  static constexpr Card card{
      .name = "BEZMinimalistSecurity",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Lower given numbers such that pairs of them have given sums, with the least or the "
          "greatest sum of all, as the problem asks.",
      .levels =
          "From 3 numbers, a tenth and one more a level, with one to three sums a number. Beyond "
          "level 50 drawing the pairs would take long.",
      .rewards =
          "-1 malformed, -0.5 another number of integers, one out of its range or a wrong sum, "
          "else "
          "(least sum / sum)^5 or (sum / greatest sum)^5.",
      .differences =
          "Of the published numbers of sums those are drawn, and the pairs such, that numbers "
          "stay free which count more on one side than on the other: random pairs fix nearly all. "
          "From 8 numbers on there are several groups of such numbers, and setting the first "
          "number of each as low or as high as can be solves no problem. Other problems are drawn "
          "again.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Up to 4 numbers, the pairs leave nothing to choose or any choice is right; up to 7, "
          "at level 4, one group is free, and one of its two ends is right.",
      .guess_until_level = 4,
      .max_level = 50,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewestFree = 5;    // of fewer numbers, none can stay free
  static constexpr int kFewestGroups = 8;  // of fewer, only one group can
  static constexpr int kDraws = 500;
  static constexpr int kShapes = 200;
  static constexpr std::int64_t kMaxN = 5000;
  static constexpr std::int64_t kMaxEdges = 15'000;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000;
  static constexpr std::string_view kLeast = "minimized";
  static constexpr std::string_view kGreatest = "maximized";

  struct Config {
    int N = 0;
    double edge_ratio = 0;
    REDQUEEN_FIELDS(N, edge_ratio)
  };
  struct Problem {
    int N = 0;
    double edge_ratio = 0;
    std::vector<WeightedEdge> edges;  // sums
    std::vector<std::int64_t> P;
    std::string minimized_or_maximized;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edge_ratio, edges, P, minimized_or_maximized, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    std::vector<double> ratios;
    for (int tenths = 10; tenths <= 30; ++tenths) {
      const double ratio = tenths / 10.0;
      const int all = n * (n - 1) / 2;
      if (static_cast<int>(ratio * n) <= (n < kFewestFree ? all : most_edges(n))) {
        ratios.push_back(ratio);
      }
    }
    return {.N = n, .edge_ratio = rng.choice(ratios)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          if (config.N < kFewestFree) return true;
          if (optimum(problem, false) == optimum(problem, true)) return false;
          return config.N < kFewestGroups || !some_rule_solves<BEZMinimalistSecurity>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    std::vector<double> ratios;
    for (int tenths = 10; tenths <= 30; ++tenths) {
      const double ratio = tenths / 10.0;
      if (static_cast<int>(n * ratio) <= n * (n - 1) / 2) ratios.push_back(ratio);
    }
    return {.N = n, .edge_ratio = rng.choice(ratios)};
  }

  // The sums of any pairs of hidden numbers.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto hidden = draw_numbers(n, 0, n, rng);
    const int all = n * (n - 1) / 2;
    const int count = std::clamp(static_cast<int>(config.edge_ratio * n), 1, all);
    Problem problem{.N = n,
                    .edge_ratio = config.edge_ratio,
                    .edges = {},
                    .P = {},
                    .minimized_or_maximized = {},
                    .gold_answer = 0};
    for (const std::int64_t pair : rng.sample(0, all - 1, static_cast<std::size_t>(count))) {
      int v = 1;
      int u = static_cast<int>(pair);
      while (u >= v) u -= v++;
      problem.edges.emplace_back(u, v, hidden[u] + hidden[v]);
    }
    for (const std::int64_t h : hidden) problem.P.push_back(h + rng.integer(0, n));
    problem.minimized_or_maximized = rng.chance(0.5) ? kLeast : kGreatest;
    problem.gold_answer = *optimum(problem, asks_for_greatest(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(check_numbers("P", problem.P, problem.N, 0, kMaxNumber));
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMaxEdges));
    for (const auto& [u, v, sum] : problem.edges) {
      RETURN_IF_ERROR(within("edges", u, 0, problem.N - 1));
      RETURN_IF_ERROR(within("edges", v, u + 1, problem.N - 1));
      RETURN_IF_ERROR(within("edges", sum, 0, problem.P[u] + problem.P[v]));
    }
    if (problem.minimized_or_maximized != kLeast && problem.minimized_or_maximized != kGreatest) {
      return failure("\"minimized_or_maximized\": expected \"{}\" or \"{}\"", kLeast, kGreatest);
    }
    const auto best = optimum(problem, asks_for_greatest(problem));
    if (!best) return failure("\"edges\": no numbers have these sums");
    return reference_is("gold_answer", problem.gold_answer, *best);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} numbers:\n"
        "{1}\n"
        "Replace each P[i] by an integer Q[i] with 0 ≤ Q[i] ≤ P[i]. Each of these lines gives "
        "indices u and v and a number w, which demand that Q[u] + Q[v] = w:\n"
        "{2}\n"
        "All of this can be kept. Of all ways to do so, choose one with the {3} sum Q[0] + Q[1] + "
        "… + Q[{4}].\n"
        "Answer with Q[0] to Q[{4}] in this order on one line, separated by spaces.",
        problem.N, with_indices("P", problem.P), format_edges(problem.edges),
        asks_for_greatest(problem) ? "greatest" : "least", problem.N - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    std::int64_t total = 0;
    for (int i = 0; i < problem.N; ++i) {
      if (answer[i] < 0 || answer[i] > problem.P[i]) return kInvalidReward;
      total += answer[i];
    }
    for (const auto& [u, v, sum] : problem.edges) {
      if (answer[u] + answer[v] != sum) return kInvalidReward;
    }
    return asks_for_greatest(problem) ? maximise_reward(total, problem.gold_answer, kBeta)
                                      : minimise_reward(total, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return numbers(problem, [up = asks_for_greatest(problem)](const Group& group) {
      return (group.slope > 0) == up ? group.high : group.low;
    });
  }

  // Kept demands, but any of the ways to keep them.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return numbers(problem, [&](const Group& group) { return rng.integer(group.low, group.high); });
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the first number of each group as small as can be",
             numbers(problem, [](const Group& group) { return group.low; })},
            {"the first number of each group as great as can be",
             numbers(problem, [](const Group& group) { return group.high; })},
            {"the first number of each group in the middle of its range",
             numbers(problem, [](const Group& group) { return (group.low + group.high) / 2; })}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Numbers that sums connect, all of which the first of them, t, decides: each is sign · t +
  // constant.
  struct Group {
    std::int64_t low = 0;  // of t
    std::int64_t high = 0;
    std::int64_t slope = 0;  // of the sum
    std::vector<int> members;
  };
  struct Groups {
    std::vector<Group> list;
    std::vector<int> sign;
    std::vector<std::int64_t> constant;
  };

  static bool asks_for_greatest(const Problem& problem) {
    return problem.minimized_or_maximized == kGreatest;
  }

  // Halves of N into which complete bipartite groups, one or two of unequal sides, and a complete
  // group of the remaining numbers have at most so many pairs.
  static int most_edges(int n) {
    const auto unequal = [](int size) { return (size - 1) / 2 * (size - (size - 1) / 2); };
    int most = 0;
    for (int complete = 0; complete <= n - 3; ++complete) {
      const int rest = n - complete;
      const int pairs = complete * (complete - 1) / 2;
      if (n < kFewestGroups) {
        most = std::max(most, pairs + unequal(rest));
      } else if (rest >= 6) {
        most = std::max(most, pairs + unequal(rest - 3) + unequal(3));
      }
    }
    return most;
  }

  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .edge_ratio = config.edge_ratio,
                    .edges = {},
                    .P = {},
                    .minimized_or_maximized = std::string(rng.chance(0.5) ? kLeast : kGreatest),
                    .gold_answer = 0};
    const auto hidden = draw_numbers(n, 0, n, rng);
    for (const auto& [u, v] : draw_pairs(config, rng)) {
      problem.edges.emplace_back(std::min(u, v), std::max(u, v), hidden[u] + hidden[v]);
    }
    for (const std::int64_t h : hidden) problem.P.push_back(h + rng.integer(0, n));
    problem.gold_answer = *optimum(problem, asks_for_greatest(problem));
    return problem;
  }

  static std::vector<Edge> draw_pairs(const Config& config, Rng& rng) {
    const int n = config.N;
    const int all = n * (n - 1) / 2;
    const int count = std::clamp(static_cast<int>(config.edge_ratio * n), 1, all);
    const std::vector<int> label = rng.permutation(n);
    std::vector<Edge> pairs;
    if (n < kFewestFree) {
      for (int u = 0; u < n; ++u) {
        for (int v = u + 1; v < n; ++v) pairs.emplace_back(u, v);
      }
      rng.shuffle(pairs);
      pairs.resize(static_cast<std::size_t>(count));
    } else {
      pairs = draw_shape(n, count, rng);
    }
    for (auto& [u, v] : pairs) {
      u = label[u];
      v = label[v];
    }
    return pairs;
  }

  // Trees with sides of unequal sizes and a path through the numbers that remain, and then further
  // pairs: of two sides of a tree, or of the path.
  static std::vector<Edge> draw_shape(int n, int count, Rng& rng) {
    for (int attempt = 0; attempt < kShapes; ++attempt) {
      std::vector<Edge> pairs;
      std::vector<Edge> further;
      int next = rng.chance(0.3) ? 0 : static_cast<int>(rng.integer(0, n - 3));
      for (int v = 1; v < next; ++v) {
        pairs.emplace_back(v - 1, v);
        for (int u = 0; u < v - 1; ++u) further.emplace_back(u, v);
      }
      int groups = 0;
      const int most_groups = n < kFewestGroups ? 1 : static_cast<int>(rng.integer(2, 5));
      for (; n - next >= 3; ++groups) {
        const bool is_last = groups + 1 == most_groups || n - next < 6;
        const int size = is_last ? n - next : static_cast<int>(rng.integer(3, n - next - 3));
        add_tree(next, size, pairs, further, rng);
        next += size;
      }
      const int missing = count - static_cast<int>(pairs.size());
      if (next < n || missing < 0 || missing > std::ssize(further)) continue;
      if (n >= kFewestGroups && groups < 2) continue;
      rng.shuffle(further);
      pairs.insert(pairs.end(), further.begin(), further.begin() + missing);
      rng.shuffle(pairs);
      return pairs;
    }
    throw Retry();
  }

  // The first side is the smaller one.
  static void add_tree(int first, int size, std::vector<Edge>& pairs, std::vector<Edge>& further,
                       Rng& rng) {
    const int small = static_cast<int>(rng.integer(std::max(1, (size - 1) / 3), (size - 1) / 2));
    std::vector<char> joined(static_cast<std::size_t>(small) * (size - small));
    const auto join = [&](int u, int v) {  // places on the two sides
      joined[u * (size - small) + v] = 1;
      pairs.emplace_back(first + u, first + small + v);
    };
    join(0, 0);
    for (int u = 1; u < small; ++u) join(u, static_cast<int>(rng.integer(0, u - 1)));
    for (int u = 1; u < small; ++u) join(u, u);
    for (int v = small; v < size - small; ++v) {
      join(static_cast<int>(rng.integer(0, small - 1)), v);
    }
    for (int u = 0; u < small; ++u) {
      for (int v = 0; v < size - small; ++v) {
        if (joined[u * (size - small) + v] == 0) further.emplace_back(first + u, first + small + v);
      }
    }
  }

  // nullopt: no numbers keep the demands.
  static std::optional<Groups> groups_of(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.N);
    std::vector<std::vector<std::pair<int, std::int64_t>>> near(n);
    for (const auto& [u, v, sum] : problem.edges) {
      near[u].emplace_back(v, sum);
      near[v].emplace_back(u, sum);
    }
    Groups groups{
        .list = {}, .sign = std::vector<int>(n), .constant = std::vector<std::int64_t>(n)};
    for (int first = 0; first < problem.N; ++first) {
      if (groups.sign[first] != 0) continue;
      Group group{.low = 0, .high = problem.P[first], .slope = 0, .members = {first}};
      groups.sign[first] = 1;
      for (std::size_t i = 0; i < group.members.size(); ++i) {
        const int u = group.members[i];
        const int sign = groups.sign[u];
        const std::int64_t constant = groups.constant[u];
        group.slope += sign;
        // 0 ≤ sign · t + constant ≤ P
        group.low = std::max(group.low, sign > 0 ? -constant : constant - problem.P[u]);
        group.high = std::min(group.high, sign > 0 ? problem.P[u] - constant : constant);
        for (const auto& [v, sum] : near[u]) {
          if (groups.sign[v] == 0) {
            groups.sign[v] = -sign;
            groups.constant[v] = sum - constant;
            group.members.push_back(v);
          } else if (groups.sign[v] == -sign) {
            if (groups.constant[v] + constant != sum) return std::nullopt;
          } else {  // 2 · sign · t = sum − constants
            const std::int64_t twice = sign * (sum - constant - groups.constant[v]);
            if (twice % 2 != 0) return std::nullopt;
            group.low = std::max(group.low, twice / 2);
            group.high = std::min(group.high, twice / 2);
          }
        }
      }
      if (group.low > group.high) return std::nullopt;
      groups.list.push_back(std::move(group));
    }
    return groups;
  }

  // With t as choose(group) sets it for each group.
  template <typename Choose>
  static Answer numbers(const Problem& problem, Choose choose) {
    const auto groups = groups_of(problem);
    if (!groups) return {};
    Answer answer(problem.P.size());
    for (const Group& group : groups->list) {
      const std::int64_t t = choose(group);
      for (const int member : group.members) {
        answer[member] = groups->sign[member] * t + groups->constant[member];
      }
    }
    return answer;
  }

  static std::optional<std::int64_t> optimum(const Problem& problem, bool greatest) {
    const auto groups = groups_of(problem);
    if (!groups) return std::nullopt;
    std::int64_t sum = 0;
    for (const std::int64_t constant : groups->constant) sum += constant;
    for (const Group& group : groups->list) {
      sum += group.slope * ((group.slope > 0) == greatest ? group.high : group.low);
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(BEZMinimalistSecurity);

}  // namespace
}  // namespace redqueen
