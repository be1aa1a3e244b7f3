#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/chain.h"

namespace redqueen {
namespace {

struct RepeatSequenceLNDS {
  static constexpr Card card{
      .name = "RepeatSequenceLNDS",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find how long a non-decreasing subsequence of an array can be that is written T times "
          "in a row.",
      .levels =
          "The array has 3 numbers and one more a level; the bound on T starts at 5 and grows by "
          "half. Beyond level 80 the lengths would not fit 64 bits.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "From 6 numbers on, the arrays are sorted ones, turned, with some exchanges. From 5 on, "
          "a problem is drawn again that "
          "is solved by the commonest number of every copy, with one of each other number or with "
          "the longest choice of one copy.",
      .slow_reason = SlowReason::kStricter,
      .source = "Codeforces 582B, Once Again...",
      .max_level = 80,
  };

  static constexpr int kMaxLength = 1000;
  static constexpr std::int64_t kMaxTimes = std::int64_t{1} << 50;
  static constexpr int kFewNumbers = 5;
  static constexpr int kDraws = 100;

  struct Config {
    int n = 0;
    std::int64_t MAX_T = 0;
    REDQUEEN_FIELDS(n, MAX_T)
  };
  struct Problem {
    int n = 0;
    std::int64_t T = 0;
    std::vector<std::int64_t> a;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(n, T, a, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    return {.n = 3 + level, .MAX_T = grow_by_half(5, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.n = config.n, .T = 0, .a = {}, .reference_answer = 0};
    for (int draw = 0; draw < kDraws; ++draw) {
      problem.T = rng.integer(2, config.MAX_T);
      problem.a = drawn(config.n, rng);
      problem.reference_answer = longest(problem);
      if (config.n < kFewNumbers || !some_rule_solves<RepeatSequenceLNDS>(problem)) return problem;
    }
    throw Retry();
  }

  // All numbers and T are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.n = config.n, .T = 0, .a = {}, .reference_answer = 0};
    problem.T = rng.integer(2, config.MAX_T);
    problem.a = draw_numbers(config.n, 1, config.n, rng);
    problem.reference_answer = longest(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("n", problem.n, 1, kMaxLength));
    RETURN_IF_ERROR(within("T", problem.T, 1, kMaxTimes));
    RETURN_IF_ERROR(check_numbers("a", problem.a, problem.n, 1, 1'000'000'000));
    return reference_is("reference_answer", problem.reference_answer, longest(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers:\n"
        "{}\n"
        "It is written {} times in a row, which makes a sequence of {} integers. What is the "
        "length of the longest subsequence of this sequence that never decreases? A subsequence "
        "keeps the order and may leave out any elements; equal elements may follow each other.\n"
        "Answer with one integer.",
        problem.n, format_answer(problem.a), problem.T, problem.T * problem.n);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, 2 * problem.reference_answer);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t most = highest_frequency(problem.a);
    const std::int64_t different = std::ssize(values_of(problem.a));
    const std::int64_t once = longest_chain_length(problem.a, Equal::kKeeps);
    return {
        {"the commonest number alone", problem.T * most},
        {"the commonest number, and one of each other", problem.T * most + different - 1},
        {"the longest within one copy, then the commonest number", once + (problem.T - 1) * most}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Mostly ascending from some place on and again up to it, but for some exchanges: then it pays to
  // rise in more than one copy. There are too few such arrays of five numbers.
  static std::vector<std::int64_t> drawn(int n, Rng& rng) {
    std::vector<std::int64_t> a = draw_numbers(n, 1, n, rng);
    if (n <= kFewNumbers) return a;
    std::ranges::sort(a);
    std::rotate(a.begin(), a.begin() + rng.integer(n / 3, n - n / 3), a.end());
    for (std::int64_t exchanges = rng.integer(0, n / 4); exchanges > 0; --exchanges) {
      std::swap(rng.choice(a), rng.choice(a));
    }
    return a;
  }

  // Different ones, ascending.
  static std::vector<std::int64_t> values_of(const std::vector<std::int64_t>& a) {
    std::vector<std::int64_t> values = a;
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    return values;
  }

  static std::int64_t highest_frequency(std::vector<std::int64_t> values) {
    std::ranges::sort(values);
    std::int64_t most = 0;
    for (auto i = values.begin(); i != values.end();) {
      const auto next = std::ranges::upper_bound(i, values.end(), *i);
      most = std::max<std::int64_t>(most, next - i);
      i = next;
    }
    return most;
  }

  // With d different values, of d copies or more at least one gives only equal elements, so that
  // each further copy adds no more than the highest frequency; and as much it adds, put in where
  // the subsequence passes the commonest value. So d copies are computed.
  static std::int64_t longest(const Problem& problem) {
    const std::vector<std::int64_t> values = values_of(problem.a);
    std::vector<std::size_t> ranks;
    ranks.reserve(problem.a.size());
    for (const std::int64_t value : problem.a) {
      ranks.push_back(std::ranges::lower_bound(values, value) - values.begin());
    }
    const std::int64_t copies = std::min<std::int64_t>(problem.T, std::ssize(values));
    std::vector<std::int64_t> lengths(values.size());  // by the rank that no element exceeds
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      for (std::size_t rank : ranks) {
        const std::int64_t length = lengths[rank] + 1;
        for (; rank < lengths.size() && lengths[rank] < length; ++rank) lengths[rank] = length;
      }
    }
    return lengths.back() + (problem.T - copies) * highest_frequency(problem.a);
  }
};
REDQUEEN_ENVIRONMENT(RepeatSequenceLNDS);

}  // namespace
}  // namespace redqueen
