#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/binomial.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct TransmissionDelay : StoredCount<1> {
  static constexpr Card card{
      .name = "TransmissionDelay",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the arrays that arise from a given array of zeros and ones if every element moves "
          "by at most a given number of places.",
      .levels = "The array has 4 elements and one more each level.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences =
          "From length 5 on, more than one array arises but not all that have as many ones, nor 2 "
          "for every place where the array changes. Counts are drawn evenly among those that come "
          "up: at length 4 the count was always 2. Only the exact count is solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At most six arrays of 4 elements, level 0, have as many ones.",
      .guess_until_level = 0,
  };

  static constexpr int kMaxLength = 200;
  static constexpr int kShort = 6;  // up to here, few counts occur
  static constexpr int kDraws = 8;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    int D = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, A, D, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.N <= kShort ? 4 * kDraws : kDraws;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<BigInt, Problem>> {
      Problem problem{.N = config.N};
      const auto ones = rng.integer(2, config.N - 2);
      problem.A.assign(config.N, 0);
      std::fill_n(problem.A.begin(), ones, 1);
      rng.shuffle(problem.A);
      problem.D = static_cast<int>(rng.integer(1, std::max(2, config.N / 5)));
      problem.reference_answer = count(problem);
      if (problem.reference_answer == 1) return std::nullopt;
      if (config.N > 4 && some_rule_solves<TransmissionDelay>(problem)) return std::nullopt;
      BigInt answer = problem.reference_answer;
      return std::pair(std::move(answer), std::move(problem));
    });
  }

  // Each element is a zero with the same probability, which is uniform. D is uniform up to the most
  // that some element could move: to an end of the array, or half of the way to the next equal one.
  // Drawn until there are two of each kind and D can be 1. Counts that do not fit RLVE-Gym's 32-bit
  // table are drawn again.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.N = config.N};
      const double zero = rng.real();
      std::array<std::vector<int>, 2> places;
      for (int i = 0; i < config.N; ++i) {
        const bool is_one = !rng.chance(zero);
        problem.A.push_back(is_one ? 1 : 0);
        places[is_one ? 1 : 0].push_back(i);
      }
      int most = 0;
      for (const std::vector<int>& equal : places) {
        if (equal.size() < 2) return std::nullopt;
        most = std::max({most, equal.front() - 1, config.N - 2 - equal.back()});
        for (std::size_t i = 1; i < equal.size(); ++i) {
          most = std::max(most, (equal[i] - equal[i - 1] - 2) / 2);
        }
      }
      if (most < 1) return std::nullopt;
      problem.D = static_cast<int>(rng.integer(1, most));
      problem.reference_answer = count(problem);
      if (problem.reference_answer > std::numeric_limits<std::uint32_t>::max()) {
        return std::nullopt;
      }
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, 1));
    RETURN_IF_ERROR(within("D", problem.D, 0, problem.N));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array A[1], …, A[{0}] of zeros and ones:\n"
        "{1}\n"
        "Choose a permutation P of 1, …, {0} with |i - P(i)| ≤ {2} for every i, and make a new "
        "array A' with A'[i] = A[P(i)] for every i. How many different arrays A' can arise? The "
        "array A itself is one of them.\n"
        "Answer with one integer, the exact number.",
        problem.N, format_answer(problem.A), problem.D);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t ones = std::ranges::count(problem.A, 1);
    std::int64_t changes = 0;
    for (std::size_t i = 1; i < problem.A.size(); ++i) changes += problem.A[i] != problem.A[i - 1];
    return {{"all arrays with as many ones", binomial(problem.N, ones)},
            {"2 for every change", BigInt(1) << changes},
            {"changes and one", BigInt(changes + 1)}};
  }

 private:
  // Equal elements need not change their order: where two of them cross, exchanging them moves
  // neither further. So the t-th zero of A' is that of A, and the t-th one too.
  static BigInt count(const Problem& problem) {
    std::array<std::vector<std::int64_t>, 2> places;
    for (std::int64_t i = 0; i < problem.N; ++i) places[problem.A[i]].push_back(i);
    const std::int64_t zeros = std::ssize(places[0]);
    const auto can_move = [&](std::int64_t value, std::int64_t which, std::int64_t to) {
      if (which >= std::ssize(places[value])) return false;
      const std::int64_t from = places[value][which];
      return from - to <= problem.D && to - from <= problem.D;
    };
    // ways[z]: beginnings of A' with z zeros.
    std::vector<BigInt> ways(static_cast<std::size_t>(zeros) + 1);
    ways[0] = 1;
    for (std::int64_t place = 0; place < problem.N; ++place) {
      for (std::int64_t z = std::min(place + 1, zeros); z >= 0; --z) {
        // A one goes here, or the z-th zero.
        if (place - z < 0 || !can_move(1, place - z, place)) ways[z] = 0;
        if (z > 0 && can_move(0, z - 1, place)) ways[z] += ways[z - 1];
      }
    }
    return ways[zeros];
  }
};
REDQUEEN_ENVIRONMENT(TransmissionDelay);

}  // namespace
}  // namespace redqueen
