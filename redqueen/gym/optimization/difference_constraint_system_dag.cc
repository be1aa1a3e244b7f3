#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/witness.h"

namespace redqueen {
namespace {

struct DifferenceConstraintSystemDAG {
  static constexpr Card card{
      .name = "DifferenceConstraintSystemDAG",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Find positive integers with the least sum that keep given relations, each of which says "
          "that one is equal to, greater or less than another.",
      .levels =
          "From 3 unknowns, a tenth and one more a level, with one to two relations an unknown. "
          "Beyond level 65 the list of relations would be too long to read.",
      .rewards =
          "-1 malformed or another number of integers, 0 an integer below 1, half of (kept / all "
          "relations)^5, and if all are kept half of (least sum / sum)^5 in addition.",
      .differences =
          "A problem that ones solve is drawn again; from 5 unknowns on also one that is solved by "
          "keeping the relations once in their order, by a two for whatever is greater than "
          "something, or by counting what is said to be less.",
      .source = "P3275, SCOI 2011: candies (Luogu)",
      .max_level = 65,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kRelationsPerUnknown{1.0, 1.1, 1.2, 1.3, 1.4, 1.5,
                                                   1.6, 1.7, 1.8, 1.9, 2.0};
  static constexpr int kFewUnknowns = 5;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kMaxN = 5000;
  static constexpr std::int64_t kMaxM = 10'000;
  static constexpr std::int64_t kMuch = std::int64_t{1} << 40;  // more than any least solution
  static constexpr std::array<std::string_view, 6> kSigns{"", "=", "<", ">=", ">", "<="};

  enum Code { kEqual = 1, kLess = 2, kAtLeast = 3, kGreater = 4, kAtMost = 5 };
  using Relation = std::tuple<int, int, int>;  // code, left unknown, right unknown

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<Relation> relations;
    std::string reference_answer;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, M, relations, reference_answer, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    return {.N = n, .M = static_cast<int>(rng.choice(kRelationsPerUnknown) * n)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    auto problem = draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& drawn) {
          if (drawn.gold_answer == drawn.N) return false;
          return config.N < kFewUnknowns || !some_rule_solves<DifferenceConstraintSystemDAG>(drawn);
        });
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = drawn(config, rng);
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxM));
    RETURN_IF_ERROR(within("relations", std::ssize(problem.relations), 1, problem.M));
    for (const auto& [code, a, b] : problem.relations) {
      RETURN_IF_ERROR(within("relations", code, kEqual, kAtMost));
      RETURN_IF_ERROR(within("relations", a, 0, problem.N - 1));
      RETURN_IF_ERROR(within("relations", b, 0, problem.N - 1));
    }
    const Answer least = solve(problem);
    if (least.empty()) return failure("\"relations\": they contradict each other");
    RETURN_IF_ERROR(reference_is("gold_answer", problem.gold_answer, sum_of(least)));
    return check_witness<DifferenceConstraintSystemDAG>("reference_answer",
                                                        problem.reference_answer, problem);
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [code, a, b] : problem.relations) {
      append_format(list, "x[{}] {} x[{}]\n", a, kSigns[code], b);
    }
    return fmt::format(
        "Find {0} positive integers x[0] to x[{1}] that keep all of these relations and whose sum "
        "is as small as possible:\n"
        "{2}"
        "The relations can be kept.\n"
        "Answer with x[0] to x[{1}] in this order on one line, separated by spaces.",
        problem.N, problem.N - 1, list);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kMalformedReward;
    if (std::ranges::any_of(answer, [](std::int64_t x) { return x < 1; })) return 0.0;
    const auto kept = std::ranges::count_if(
        problem.relations, [&](const Relation& relation) { return keeps(answer, relation); });
    const auto all = std::ssize(problem.relations);
    if (kept < all) {
      return 0.5 * partial_reward(static_cast<double>(kept) / static_cast<double>(all), kBeta);
    }
    return 0.5 + 0.5 * minimise_reward(sum_of(answer), problem.gold_answer, kBeta);
  }

  // Empty if the relations contradict each other. Otherwise the least of all solutions, in each
  // unknown at once. Its values are 1 … k without a gap, so that none is greater than N.
  static Answer solve(const Problem& problem) {
    Answer x(static_cast<std::size_t>(problem.N), 1);
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Relation& relation : problem.relations) {
        const auto [place, value] = raised(x, relation);
        if (value > problem.N) return {};
        changed = changed || value != x[place];
        x[place] = value;
      }
    }
    return x;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_numbers(problem.N, 1, std::max(2, problem.N / 2), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer once(static_cast<std::size_t>(problem.N), 1);
    Answer two = once;
    Answer counted = once;
    for (const Relation& relation : problem.relations) {
      const auto [place, value] = raised(once, relation);
      once[place] = value;
      const auto& [code, a, b] = relation;
      if (code != kLess && code != kGreater) continue;
      const int greater = code == kLess ? b : a;
      two[greater] = 2;
      ++counted[greater];
    }
    return {{"raising what is too small, once for each relation in order", once},
            {"two for what is greater than another, else one", two},
            {"one more than the number of those said to be less", counted}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"ones", format_answer(Answer(static_cast<std::size_t>(problem.N), 1))});
    return named;
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto hidden = draw_numbers(n, 1, n, rng);
    Problem problem{
        .N = n, .M = config.M, .relations = {}, .reference_answer = {}, .gold_answer = 0};
    const std::int64_t pairs = std::int64_t{n} * (n - 1);
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(config.M, pairs));
    for (const std::int64_t pair : rng.sample(0, pairs - 1, count)) {
      const int a = static_cast<int>(pair / (n - 1));
      int b = static_cast<int>(pair % (n - 1));
      b += b >= a;
      problem.relations.emplace_back(draw_code(hidden[a], hidden[b], rng), a, b);
    }
    problem.gold_answer = sum_of(solve(problem));
    return problem;
  }

  static int draw_code(std::int64_t left, std::int64_t right, Rng& rng) {
    if (left == right) return static_cast<int>(2 * rng.integer(0, 2) + 1);
    if (left < right) return rng.chance(0.5) ? kLess : kAtMost;
    return rng.chance(0.5) ? kGreater : kAtLeast;
  }

  static bool keeps(const Answer& x, const Relation& relation) {
    const auto& [code, a, b] = relation;
    switch (code) {
      case kEqual:
        return x[a] == x[b];
      case kLess:
        return x[a] < x[b];
      case kAtLeast:
        return x[a] >= x[b];
      case kGreater:
        return x[a] > x[b];
      default:
        return x[a] <= x[b];
    }
  }

  // The unknown that may have to be raised so that the relation is kept, and its value then.
  static std::pair<int, std::int64_t> raised(const Answer& x, const Relation& relation) {
    const auto& [code, a, b] = relation;
    const bool raises_left =
        code == kAtLeast || code == kGreater || (code == kEqual && x[a] < x[b]);
    const auto [low, high] = raises_left ? std::pair{b, a} : std::pair{a, b};
    const int step = code == kLess || code == kGreater ? 1 : 0;
    return {high, std::max(x[high], x[low] + step)};
  }

  static std::int64_t sum_of(const Answer& x) {
    return std::accumulate(
        x.begin(), x.end(), std::int64_t{0},
        [](std::int64_t sum, std::int64_t value) { return sum + std::min(value, kMuch); });
  }
};
REDQUEEN_ENVIRONMENT(DifferenceConstraintSystemDAG);

}  // namespace
}  // namespace redqueen
