#include <algorithm>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/witness.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct FaceRightWay {
  static constexpr Card card{
      .name = "FaceRightWay",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kQuality,
      .task =
          "Make all bits of a list zero by flipping windows of one common length: with as few "
          "windows as possible, and among these ways with the shortest windows.",
      .levels = "From 4 bits, one more a level.",
      .rewards =
          "-1 malformed, -0.5 a window outside the list or of another length than the first, -0.2 "
          "a bit is left, else half of (fewest / number of windows)^5, and with the fewest half of "
          "(shortest / length of windows)^5 in addition.",
      .differences =
          "Flipping single bits is never best. From 7 bits on, windows as long as the first or the "
          "longest run of ones do not solve a problem, and from 12 on the longest windows that can "
          "do it solve one problem in three only.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Of up to 7 bits, few lists are best cleared by windows of more than one bit. The best "
          "windows of up to 11 bits are nearly always the longest that can do it, for which "
          "lengths have to be tried; of more, two bits, three and the longest that can do it are "
          "each right for up to a third, until at level 20 it is a fifth.",
      .guess_until_level = 20,
      .source = "USACO 2007 March, Gold: Face The Right Way",
      .version = 2,
  };

  static constexpr double kUnsuccessful = -0.2;
  static constexpr double kBeta = 5.0;
  static constexpr int kGuardedFromRuns = 7;
  static constexpr int kGuardedFromLongest = 12;
  static constexpr double kLongestShare = 0.3;
  static constexpr int kDraws = 2000;
  static constexpr std::int64_t kMaxN = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Gold {
    int K = 0;  // length of the windows
    int M = 0;  // their number
    bool operator==(const Gold&) const = default;
    REDQUEEN_FIELDS(K, M)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::string reference_answer;
    Gold gold_answer;
    REDQUEEN_FIELDS(N, A, reference_answer, gold_answer)
  };
  using Answer =
      std::vector<std::pair<std::int64_t, std::int64_t>>;  // first and last place, from 1

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool may_be_longest = config.N < kGuardedFromLongest || rng.chance(kLongestShare);
    Problem problem{.N = config.N, .A = {}, .reference_answer = {}, .gold_answer = {}};
    problem = draw_accepted(
        kDraws,
        [&] {
          problem.A = drawn(config.N, rng);
          problem.gold_answer = best_of(problem);
          return problem;
        },
        [&](const Problem& drawn) {
          const int k = drawn.gold_answer.K;
          if (k == 1) return false;
          if (config.N < kGuardedFromRuns) return true;
          if (!may_be_longest && longest_that_works(drawn) == k) return false;
          const auto runs = runs_of_ones(drawn);
          return runs.front() != k && std::ranges::max(runs) != k;
        });
    problem.reference_answer = format_answer(solve(problem));
    return problem;
  }

  // Windows of one length, at any places, which are all different.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .A = std::vector<std::int64_t>(static_cast<std::size_t>(n)),
                    .reference_answer = {},
                    .gold_answer = {}};
    const std::int64_t length = rng.integer(2, n);
    const std::int64_t places = n - length + 1;
    const auto count = static_cast<std::size_t>(rng.integer(1, places));
    for (const std::int64_t first : rng.sample(0, places - 1, count)) {
      for (std::int64_t i = first; i < first + length; ++i) problem.A[i] ^= 1;
    }
    problem.gold_answer = best_of(problem);
    problem.reference_answer = format_answer(plan(problem, problem.gold_answer.K));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, 1));
    const Gold gold = best_of(problem);
    if (gold.M == 0) return failure("\"A\": there is nothing to flip");
    RETURN_IF_ERROR(reference_is("gold_answer", problem.gold_answer, gold));
    return check_witness<FaceRightWay>("reference_answer", problem.reference_answer, problem);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} bits with their places:\n"
        "{1}\n"
        "Choose a length K, from 1 to {0}. An operation flips all bits of a window of K "
        "consecutive places, that is, of the places l, l + 1, …, r with r = l + K - 1, where 1 ≤ l "
        "and r ≤ {0}: each 0 there becomes 1 and each 1 becomes 0. All operations have windows of "
        "the same length K. After them, all bits must be 0. Use as few operations as possible with "
        "any K, and of all ways with so few operations one with the smallest K.\n"
        "Answer with one operation a line: l and r, separated by a space.",
        problem.N, with_indices("A", problem.A, 1));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> flips(problem.A.size() + 1);  // at a place and after it
    for (const auto& [l, r] : answer) {
      if (l < 1 || r < l || r > problem.N) return kInvalidReward;
      if (r - l != answer[0].second - answer[0].first) return kInvalidReward;
      flips[l - 1] ^= 1;
      flips[r] ^= 1;
    }
    char flipped = 0;
    for (int i = 0; i < problem.N; ++i) {
      flipped = static_cast<char>(flipped ^ flips[i]);
      if (problem.A[i] != flipped) return kUnsuccessful;
    }
    const auto& [k, m] = problem.gold_answer;
    const std::int64_t fewest = m;
    const double by_number = minimise_reward(std::ssize(answer), fewest, kBeta);
    if (std::ssize(answer) > fewest) return 0.5 * by_number;
    const std::int64_t length = answer[0].second - answer[0].first + 1;
    return 0.5 + 0.5 * minimise_reward(length, std::int64_t{k}, kBeta);
  }

  static Answer solve(const Problem& problem) { return plan(problem, best_of(problem).K); }

  // Windows of a random length that clear the list up to near its end.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return plan(problem, static_cast<int>(rng.integer(1, problem.N)));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto runs = runs_of_ones(problem);
    const auto named = [&](std::string rule, int k) {
      return NamedAnswer{std::move(rule), format_answer(plan(problem, k))};
    };
    return {named("single bits", 1),
            named("windows of two", 2),
            named("windows of three", std::min(3, problem.N)),
            named("windows as long as the first run of ones", runs.front()),
            named("windows as long as the shortest run of ones", std::ranges::min(runs)),
            named("windows as long as the longest run of ones", std::ranges::max(runs)),
            named("the longest windows that can do it", longest_that_works(problem))};
  }

 private:
  // Some windows of one length, or pairs of them at a multiple of it: these can also be cleared by
  // longer windows, but with more of them.
  static std::vector<std::int64_t> drawn(int n, Rng& rng) {
    std::vector<std::int64_t> bits(static_cast<std::size_t>(n));
    const auto flip = [&](std::int64_t first, std::int64_t length) {
      for (std::int64_t i = first; i < first + length; ++i) bits[i] ^= 1;
    };
    const bool in_pairs = n >= 6 && rng.chance(0.5);
    const std::int64_t length = rng.integer(2, in_pairs ? n / 3 : n < 6 ? n : 2 * n / 3);
    for (std::int64_t count = rng.integer(1, n); count > 0; --count) {
      if (in_pairs) {
        const std::int64_t shift = length * rng.integer(2, n / length - 1);
        const std::int64_t first = rng.integer(0, n - length - shift);
        flip(first, length);
        flip(first + shift, length);
        --count;
      } else {
        flip(rng.integer(0, n - length), length);
      }
    }
    if (std::ranges::count(bits, 1) == 0) bits[rng.below(bits.size())] = 1;
    return bits;
  }

  // The windows of length k that clear the places from left to right, which no others can, or fewer
  // of them if the last places remain.
  static Answer plan(const Problem& problem, int k) {
    Answer windows;
    visit_windows(problem, k, [&](int first) { windows.emplace_back(first + 1, first + k); });
    return windows;
  }

  // Whether windows of length k clear the list. visit(first) is called for each, places from 0.
  template <typename Visit>
  static bool visit_windows(const Problem& problem, int k, Visit visit) {
    std::vector<char> opens(problem.A.size());
    int flipped = 0;
    for (int i = 0; i < problem.N; ++i) {
      if (i >= k) flipped ^= opens[i - k];
      if (problem.A[i] == flipped) continue;
      if (i + k > problem.N) return false;
      opens[i] = 1;
      flipped ^= 1;
      visit(i);
    }
    return true;
  }

  static Gold best_of(const Problem& problem) {
    Gold best{.K = 1, .M = problem.N + 1};
    for (int k = 1; k <= problem.N; ++k) {
      int windows = 0;
      if (visit_windows(problem, k, [&](int) { ++windows; }) && windows < best.M) {
        best = {.K = k, .M = windows};
      }
    }
    return best;
  }

  static int longest_that_works(const Problem& problem) {
    int k = problem.N;
    while (!visit_windows(problem, k, [](int) {})) --k;
    return k;
  }

  // Their lengths; there is one.
  static std::vector<int> runs_of_ones(const Problem& problem) {
    std::vector<int> runs;
    for (int i = 0; i < problem.N; ++i) {
      if (problem.A[i] == 0) continue;
      if (i == 0 || problem.A[i - 1] == 0) runs.push_back(0);
      ++runs.back();
    }
    return runs;
  }
};
REDQUEEN_ENVIRONMENT(FaceRightWay);

}  // namespace
}  // namespace redqueen
