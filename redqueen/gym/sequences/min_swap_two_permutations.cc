#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MinSwapTwoPermutations {
  static constexpr Card card{
      .name = "MinSwapTwoPermutations",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Exchange the elements of two arrays at as few places as possible so that neither holds "
          "a number twice.",
      .levels =
          "The arrays grow from 3 numbers by a tenth and one a level. Beyond level 70 they would "
          "be too long to read.",
      .rewards =
          "-1 malformed, -0.5 no places, -0.2 a number still comes twice, else (fewest places / "
          "places)^5. A place that is named twice is exchanged twice.",
      .differences =
          "The numbers come from one or two long cycles, up to 7 numbers from one. From 5 numbers "
          "on, a problem is drawn again that is solved by exchanging wherever a number comes "
          "again, read from the left or from the right.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 there are six sets of places, and two of them are right.",
      .guess_until_level = 0,
      .max_level = 70,
  };

  static constexpr double kStillTwice = -0.2;
  static constexpr double kBeta = 5.0;
  static constexpr int kFewNumbers = 5;
  static constexpr int kManyNumbers = 8;
  static constexpr int kDraws = 200;
  static constexpr int kDrawsOfAChoice = 8;  // before other places are to be exchanged

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, B, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    std::int64_t cycle = n;
    Answer exchanged;
    for (int draw = 0; draw < kDraws; ++draw) {
      if (n >= kManyNumbers || draw % kDrawsOfAChoice == 0) {
        if (n >= kManyNumbers && rng.chance(0.5)) cycle = rng.integer((n + 1) / 2, n);
        exchanged = n >= kManyNumbers ? rng.sample(0, n - 1, rng.integer(1, n - 1))
                                      : random_indices(n, rng);
        if (n < kManyNumbers && 2 * std::ssize(exchanged) > n) exchanged.clear();
      }
      if (exchanged.empty()) continue;
      Problem problem = drawn(n, cycle, exchanged, rng);
      problem.gold_answer = n >= kManyNumbers ? std::ssize(solve(problem)) : std::ssize(exchanged);
      if (problem.gold_answer == 0) continue;
      if (n < kFewNumbers || !some_rule_solves<MinSwapTwoPermutations>(problem)) return problem;
    }
    throw Retry();
  }

  // Two random permutations exchange their numbers at some random places, until a number comes
  // twice in one of them.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.N = n, .A = ascending_order(n, 1), .B = {}, .gold_answer = 0};
      problem.B = problem.A;
      rng.shuffle(problem.A);
      rng.shuffle(problem.B);
      const auto places = static_cast<std::size_t>(rng.integer(1, n - 1));
      for (const std::int64_t i : rng.sample(0, n - 1, places)) {
        std::swap(problem.A[i], problem.B[i]);
      }
      if (is_order(n, problem.A, 1) && is_order(n, problem.B, 1)) return std::nullopt;
      problem.gold_answer = std::ssize(solve(problem));
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, problem.N));
    RETURN_IF_ERROR(check_numbers("B", problem.B, problem.N, 1, problem.N));
    std::vector<int> times(static_cast<std::size_t>(problem.N) + 1);
    for (const auto* list : {&problem.A, &problem.B}) {
      for (const std::int64_t number : *list) ++times[number];
    }
    if (std::ranges::count(times, 2) != problem.N) {
      return failure("\"A\", \"B\": expected each of 1 … N twice");
    }
    return reference_is<std::int64_t>("gold_answer", problem.gold_answer,
                                      std::ssize(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are two arrays of {0} integers each, with places from 0:\n"
        "{1}\n"
        "{2}\n"
        "Together they hold each of the numbers 1 to {0} twice. Choosing a place i exchanges A[i] "
        "and B[i]. Choose as few places as possible such that after the exchanges no number comes "
        "twice in A, and none twice in B.\n"
        "Answer with the chosen places in any order on one line, separated by spaces.",
        problem.N, with_indices("A", problem.A), with_indices("B", problem.B));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<std::int64_t> a = problem.A;
    for (const std::int64_t place : answer) {
      if (place < 0 || place >= problem.N) return kInvalidReward;
      a[place] = problem.A[place] + problem.B[place] - a[place];
    }
    if (!is_order(problem.N, a, 1)) return kStillTwice;  // or else B holds each number once too
    return minimise_reward<std::int64_t>(std::ssize(answer), problem.gold_answer, kBeta);
  }

  // A number joins the two places at which it stands. Round each cycle of places so joined, one
  // choice decides the next: of two places that hold a number in the same array, exactly one is to
  // be exchanged, of others both or none. The smaller of the two complementary choices is taken.
  static Answer solve(const Problem& problem) {
    const int n = problem.N;
    std::vector<std::pair<int, int>> places(static_cast<std::size_t>(n) + 1, {-1, -1});
    for (int i = 0; i < n; ++i) {
      for (const auto* list : {&problem.A, &problem.B}) {
        auto& [first, second] = places[(*list)[i]];
        (first < 0 ? first : second) = i;
      }
    }
    std::vector<signed char> exchanged(static_cast<std::size_t>(n), -1);
    Answer answer;
    std::vector<int> cycle;
    for (int start = 0; start < n; ++start) {
      if (exchanged[start] >= 0) continue;
      exchanged[start] = 0;
      cycle.assign(1, start);
      for (std::size_t next = 0; next < cycle.size(); ++next) {
        const int here = cycle[next];
        for (const bool in_a : {true, false}) {
          const std::int64_t number = in_a ? problem.A[here] : problem.B[here];
          const int other = places[number].first + places[number].second - here;
          if (exchanged[other] >= 0) continue;
          const bool same_array = (problem.A[other] == number) == in_a;
          exchanged[other] = static_cast<signed char>(exchanged[here] ^ (same_array ? 1 : 0));
          cycle.push_back(other);
        }
      }
      const auto ones = std::ranges::count_if(cycle, [&](int i) { return exchanged[i] == 1; });
      const int chosen = 2 * ones <= std::ssize(cycle) ? 1 : 0;
      for (const int i : cycle) {
        if (exchanged[i] == chosen) answer.push_back(i);
      }
    }
    std::ranges::sort(answer);
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_indices(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Answer forward = ascending_order(problem.N);
    const Answer backward = descending_order(problem.N);
    return {{"wherever a number comes again, from the left", repaired(problem, forward)},
            {"wherever a number comes again, from the right", repaired(problem, backward)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Two permutations: a random order makes one cycle of the places, or two, and B holds at each
  // place what A holds at the next one of its cycle. Then some places are exchanged. Of a single
  // cycle, these are a right answer if they are at most half of it.
  static Problem drawn(int n, std::int64_t cycle, const Answer& exchanged, Rng& rng) {
    Problem problem{.N = n, .A = ascending_order(n, 1), .B = Answer(n), .gold_answer = 0};
    rng.shuffle(problem.A);
    const std::vector<int> order = rng.permutation(n);
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t next = i + 1;
      if (next == cycle) next = 0;
      if (next == n) next = cycle % n;
      problem.B[order[i]] = problem.A[order[next]];
    }
    for (const std::int64_t i : exchanged) std::swap(problem.A[i], problem.B[i]);
    return problem;
  }

  static Answer repaired(const Problem& problem, const Answer& order) {
    std::vector<char> in_a(static_cast<std::size_t>(problem.N) + 1);
    std::vector<char> in_b(static_cast<std::size_t>(problem.N) + 1);
    Answer exchanged;
    for (const std::int64_t i : order) {
      std::int64_t a = problem.A[i];
      std::int64_t b = problem.B[i];
      if (in_a[a] || in_b[b]) {
        std::swap(a, b);
        exchanged.push_back(i);
      }
      in_a[a] = 1;
      in_b[b] = 1;
    }
    return exchanged;
  }
};
REDQUEEN_ENVIRONMENT(MinSwapTwoPermutations);

}  // namespace
}  // namespace redqueen
