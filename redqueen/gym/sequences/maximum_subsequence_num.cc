#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct Maximum_SubsequenceNum {
  static constexpr Card card{
      .name = "Maximum_SubsequenceNum",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Append N numbers below K to a sequence such that it has as many different subsequences "
          "as possible.",
      .levels =
          "The given and the appended part grow from 2 numbers by a tenth and one a level; K is 2 "
          "or a share of N. Beyond level 50 the counts would take too long.",
      .rewards =
          "-1 malformed, -0.5 not N numbers below K, else (subsequences / most subsequences)^5.",
      .differences =
          "K = 2 is drawn once in ten where there are others. From 4 numbers on and for K > 2, a "
          "problem is drawn again that is solved by appending 0, 1, …, K-1 in turn, or K-1, …, 0, "
          "or the given part once more.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "For K = 2, as always at level 0, two extensions are right by turns.",
      .guess_until_level = 0,
      .source = "Codeforces 645E, Intellectual Inquiry.",
      .max_level = 50,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewNumbers = 4;
  static constexpr int kDraws = 200;
  static constexpr int kMaxLength = 2000;

  struct Config {
    int M = 0;
    int N = 0;
    int K = 0;
    REDQUEEN_FIELDS(M, N, K)
  };
  struct Problem {
    int M = 0;
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(M, N, K, A)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(2, level);
    std::vector<int> shares = shares_of(n);
    const bool two = shares.empty() || rng.chance(0.1);
    return {.M = n, .N = n, .K = two ? 2 : rng.choice(shares)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return published(config, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (config.K == 2 || config.N < kFewNumbers) return true;
      return !some_rule_solves<Maximum_SubsequenceNum>(problem);
    });
  }

  // K = 2 is as likely as every other share of N.
  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(2, level);
    std::vector<int> shares = shares_of(n);
    shares.push_back(2);
    return {.M = n, .N = n, .K = rng.choice(shares)};
  }

  // All numbers are uniform.
  static Problem published(const Config& config, Rng& rng) {
    return {.M = config.M,
            .N = config.N,
            .K = config.K,
            .A = draw_numbers(config.M, 0, config.K - 1, rng)};
  }

  // The values of K above 2, each once.
  static std::vector<int> shares_of(int n) {
    std::vector<int> shares;
    for (const int tenths : {1, 2, 3, 5, 10}) {
      const int k = n * tenths / 10;
      if (k > 2 && std::ranges::find(shares, k) == shares.end()) shares.push_back(k);
    }
    return shares;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxLength));
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("K", problem.K, 2, 2 * kMaxLength));
    return check_numbers("A", problem.A, problem.M, 0, problem.K - 1);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence of {} integers from 0 to {}:\n"
        "{}\n"
        "Append {} integers from 0 to {} to it such that the whole sequence has as many different "
        "subsequences as possible. A subsequence leaves out any elements, but not all, and keeps "
        "the order of the others; two subsequences are different if they differ as sequences of "
        "values, wherever their elements stand.\n"
        "Answer with the {} appended integers in order on one line, separated by spaces.",
        problem.M, problem.K - 1, format_answer(problem.A), problem.N, problem.K - 1, problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    for (const std::int64_t value : answer) {
      if (value < 0 || value >= problem.K) return kInvalidReward;
    }
    const Answer best = solve(problem);
    if (answer == best) return kSolvedReward;
    return maximise_reward(subsequences(problem, answer), subsequences(problem, best), kBeta);
  }

  // A new element doubles the subsequences, less those that ended in the same value before. They
  // are fewest for the value that was last used longest ago.
  static Answer solve(const Problem& problem) {
    std::vector<int> last(static_cast<std::size_t>(problem.K), -1);
    for (int i = 0; i < problem.M; ++i) last[problem.A[i]] = i;
    Answer values(static_cast<std::size_t>(problem.K));
    std::iota(values.begin(), values.end(), 0);
    std::ranges::stable_sort(values, {}, [&](std::int64_t value) { return last[value]; });
    Answer appended;
    for (int i = 0; i < problem.N; ++i) appended.push_back(values[i % problem.K]);
    return appended;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_numbers(problem.N, 0, problem.K - 1, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer up;
    Answer down;
    Answer again;
    for (int i = 0; i < problem.N; ++i) {
      up.push_back(i % problem.K);
      down.push_back(problem.K - 1 - i % problem.K);
      again.push_back(problem.A[i % problem.M]);
    }
    return {{"0, 1, …, K - 1 in turn", up},
            {"K - 1, …, 1, 0 in turn", down},
            {"the given numbers again", again}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // How many the given and the appended numbers have, the empty one left out.
  static BigInt subsequences(const Problem& problem, const Answer& appended) {
    std::vector<BigInt> before_last(static_cast<std::size_t>(problem.K), 0);  // by value
    BigInt count = 1;
    const auto append = [&](std::int64_t value) {
      const BigInt doubled = 2 * count - before_last[value];
      before_last[value] = count;
      count = doubled;
    };
    for (const std::int64_t value : problem.A) append(value);
    for (const std::int64_t value : appended) append(value);
    return count - 1;
  }
};
REDQUEEN_ENVIRONMENT(Maximum_SubsequenceNum);

}  // namespace
}  // namespace redqueen
