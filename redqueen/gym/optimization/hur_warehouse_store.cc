#include <algorithm>
#include <numeric>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/witness.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct HURWarehouseStore {
  static constexpr Card card{
      .name = "HURWarehouseStore",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Goods come in every morning, a customer asks for some every evening; serve as many "
          "customers in full as the stock allows.",
      .levels = "From 3 days, one more a level.",
      .rewards =
          "-1 malformed, -0.5 not a set of days or too little in stock, else (number of customers "
          "/ greatest)^5.",
      .differences =
          "From 4 days on, goods come on half of them only: with as many goods as are asked for, "
          "it "
          "is best to serve whoever can be served. A problem is drawn again that this solves; from "
          "5 days on also one that is solved by serving whoever takes at most half of the stock, "
          "asks for at most the average, or for at most what came in this morning.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Of 5 days, at level 2, one set of days is right in a quarter of the problems.",
      .guess_until_level = 2,
      .source = "POI XVIII (2010/11): Warehouse Store (HUR)",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kDraws = 1000;
  static constexpr std::int64_t kMaxGoods = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::int64_t gold_answer = 0;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, A, B, gold_answer, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  // What the rules want, of a day and the stock on it.
  static auto whoever_can(const Problem&) {
    return [](int, std::int64_t) { return true; };
  }
  static auto at_most_half(const Problem& problem) {
    return [&](int i, std::int64_t stock) { return 2 * problem.B[i] <= stock; };
  }
  static auto at_most_usual(const Problem& problem) {
    const std::int64_t usual = std::reduce(problem.B.begin(), problem.B.end()) / problem.N;
    return [&, usual](int i, std::int64_t) { return problem.B[i] <= usual; };
  }
  static auto at_most_income(const Problem& problem) {
    return [&](int i, std::int64_t) { return problem.B[i] <= problem.A[i]; };
  }

  static Problem generate(const Config& config, Rng& rng) {
    auto problem = draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& drawn) {
          if (drawn.gold_answer == 0) return false;
          const auto wins = [&](auto rule) {
            return serve(drawn, rule, [](int) {}) == drawn.gold_answer;
          };
          if (config.N > 3 && wins(whoever_can(drawn))) return false;
          return config.N < 5 || !(wins(at_most_half(drawn)) || wins(at_most_usual(drawn)) ||
                                   wins(at_most_income(drawn)));
        });
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  // Any goods and orders of which one can be served.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem = draw_accepted(
        kDraws,
        [&] {
          Problem drawn{.N = n,
                        .A = draw_numbers(n, 0, n, rng),
                        .B = draw_numbers(n, 1, n, rng),
                        .gold_answer = 0,
                        .reference_answer = {}};
          drawn.gold_answer = most_served(drawn);
          return drawn;
        },
        [](const Problem& drawn) { return drawn.gold_answer > 0; });
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, kMaxGoods));
    RETURN_IF_ERROR(check_numbers("B", problem.B, problem.N, 1, kMaxGoods));
    const std::int64_t most = std::ssize(solve(problem));
    if (most == 0) return failure("\"A\": no customer can be served");
    RETURN_IF_ERROR(reference_is("gold_answer", problem.gold_answer, most));
    return check_witness<HURWarehouseStore>("reference_answer", problem.reference_answer, problem);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A store is empty at first. On each of {0} days, numbered 1 to {0}, new items come in in "
        "the morning, on day i A[i] of them:\n"
        "{1}\n"
        "In the evening one customer comes, who wants B[i] items on day i:\n"
        "{2}\n"
        "If at least B[i] items are in the store, the customer can be served; then he gets exactly "
        "B[i] of them. Any customer can also be sent away with nothing. Items that are not sold "
        "stay in the store. Choose the days on which the customer is served, as many days as "
        "possible.\n"
        "Answer with the numbers of these days in any order on one line, separated by spaces.",
        problem.N, with_indices("A", problem.A, 1), with_indices("B", problem.B, 1));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!are_distinct_indices(problem.N, answer, 1)) return kInvalidReward;
    std::vector<char> serves(problem.A.size());
    for (const std::int64_t day : answer) serves[day - 1] = 1;
    std::int64_t stock = 0;
    for (int i = 0; i < problem.N; ++i) {
      stock += problem.A[i];
      if (serves[i] == 1) stock -= problem.B[i];
      if (stock < 0) return kInvalidReward;
    }
    return maximise_reward(std::ssize(answer), problem.gold_answer, kBeta);
  }

  // Whoever cannot be served takes the place of the one with the largest order so far, if his own
  // is smaller: as many are served, and more is left.
  static Answer solve(const Problem& problem) {
    std::priority_queue<std::pair<std::int64_t, std::int64_t>> served;  // order, day
    std::int64_t stock = 0;
    for (int i = 0; i < problem.N; ++i) {
      stock += problem.A[i];
      if (problem.B[i] > stock) {
        if (served.empty() || served.top().first <= problem.B[i]) continue;
        stock += served.top().first;
        served.pop();
      }
      stock -= problem.B[i];
      served.emplace(problem.B[i], i + 1);
    }
    Answer days;
    for (; !served.empty(); served.pop()) days.push_back(served.top().second);
    std::ranges::sort(days);
    return days;
  }

  // Some of those who can be served.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return serving(problem, [&](int, std::int64_t) { return rng.chance(0.7); });
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto named = [&](std::string_view rule, auto wants) {
      return NamedAnswer{std::string(rule), format_answer(serving(problem, wants))};
    };
    return {named("whoever can be served", whoever_can(problem)),
            named("whoever takes at most half of the stock", at_most_half(problem)),
            named("whoever can be served and asks for at most the average", at_most_usual(problem)),
            named("whoever asks for at most what came in", at_most_income(problem))};
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .A = draw_numbers(n, 0, n, rng),
                    .B = draw_numbers(n, 1, n, rng),
                    .gold_answer = 0,
                    .reference_answer = {}};
    for (std::int64_t& goods : problem.A) {
      if (n > 3 && rng.chance(0.5)) goods = 0;
    }
    problem.gold_answer = most_served(problem);
    return problem;
  }

  // How many solve() serves.
  static std::int64_t most_served(const Problem& problem) {
    std::vector<std::int64_t> served;  // a heap of their orders
    served.reserve(problem.B.size());
    std::int64_t stock = 0;
    for (int i = 0; i < problem.N; ++i) {
      stock += problem.A[i] - problem.B[i];
      served.push_back(problem.B[i]);
      std::ranges::push_heap(served);
      if (stock >= 0) continue;
      stock += served.front();
      std::ranges::pop_heap(served);
      served.pop_back();
    }
    return std::ssize(served);
  }

  // Serves, from the first day on, whoever can be and is wanted; calls visit(day) of each, and
  // gives their number.
  template <typename Wants, typename Visit>
  static std::int64_t serve(const Problem& problem, Wants wants, Visit visit) {
    std::int64_t count = 0;
    std::int64_t stock = 0;
    for (int i = 0; i < problem.N; ++i) {
      stock += problem.A[i];
      if (problem.B[i] > stock || !wants(i, stock)) continue;
      stock -= problem.B[i];
      visit(i + 1);
      ++count;
    }
    return count;
  }

  template <typename Wants>
  static Answer serving(const Problem& problem, Wants wants) {
    Answer days;
    serve(problem, wants, [&](int day) { days.push_back(day); });
    return days;
  }
};
REDQUEEN_ENVIRONMENT(HURWarehouseStore);

}  // namespace
}  // namespace redqueen
