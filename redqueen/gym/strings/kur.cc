#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct KUR : StoredCount<0> {
  static constexpr Card card{
      .name = "KUR",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the occurrences of a pattern in a long binary string whose characters an "
          "arithmetic rule gives.",
      .levels =
          "The bound on the string's length starts at 8 and doubles with every level, that on the "
          "pattern's starts at 8 and grows by a tenth and one. Beyond level 57 the length would "
          "not fit the arithmetic.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the number.",
      .differences =
          "The string has at least half of the greatest length, the threshold is no nearer to "
          "its ends than an eighth of the length, and of several draws each number of occurrences "
          "is as likely. From level 2 on, a draw is rejected whose number follows from the share "
          "of zeros or the greatest number of places.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 the string has 8 characters or fewer.",
      .guess_until_level = 0,
      .source = "POI XXII (2015), Kurs szybkiego czytania.",
      .max_level = 57,
  };

  static constexpr std::int64_t kMaxLength = std::int64_t{1} << 61;
  static constexpr std::int64_t kManyCharacters = 512;
  static constexpr int kCandidates = 8;
  static constexpr int kDraws = 100;

  struct Config {
    std::int64_t MAX_N = 0;
    int MAX_M = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_M)
  };
  struct Problem {
    std::int64_t N = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    std::int64_t P = 0;
    std::string T;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, B, P, T, reference_answer)
  };

  static Config at_level(int level, Rng&) {
    return {.MAX_N = multiply(8, 2, level, kMaxLength), .MAX_M = grow_by_tenth(8, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return draw_problem(config, rng); };
    const auto accept = [&](const Problem& problem) {
      return config.MAX_N <= 16 || !some_rule_solves<KUR>(problem);
    };
    using Candidate = std::optional<std::pair<std::int64_t, Problem>>;
    return draw_spread(config.MAX_N < kManyCharacters ? kCandidates : 1, rng, [&]() -> Candidate {
      Problem problem = draw_accepted(kDraws, draw, accept);
      return std::pair(problem.reference_answer, std::move(problem));
    });
  }

  // A rule of any kind, and a piece of its string from a random place on: of the lengths up to
  // MAX_M, each number of occurrences among them is as likely, and each length with that number.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem;
    do {
      problem.N = rng.integer(8, config.MAX_N);
      problem.A = rng.integer(2, problem.N - 1);
      problem.B = rng.integer(0, problem.N - 1);
      problem.P = rng.integer(1, problem.N - 1);
    } while (std::gcd(problem.A, problem.N) != 1);
    const std::int64_t first = rng.integer(0, problem.N - 2);
    const std::int64_t longest = std::min<std::int64_t>(config.MAX_M, problem.N - first);
    std::int64_t value = mul_mod(problem.A, first, problem.N) - (problem.N - problem.B);
    std::vector<std::int64_t> ends;     // the lengths at which a number of occurrences ends
    std::vector<std::int64_t> numbers;  // longer pieces never occur more often
    for (std::int64_t length = 1; length <= longest; ++length) {
      if (value < 0) value += problem.N;
      problem.T += value < problem.P ? '0' : '1';
      value += problem.A - problem.N;
      const std::int64_t number = count(problem);
      if (numbers.empty() || numbers.back() != number) {
        numbers.push_back(number);
        ends.push_back(length);
      }
      ends.back() = length;
    }
    const std::size_t chosen = rng.below(numbers.size());
    problem.T.resize(rng.integer(chosen == 0 ? 1 : ends[chosen - 1] + 1, ends[chosen]));
    problem.reference_answer = numbers[chosen];
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("A", problem.A, 0, problem.N - 1));
    RETURN_IF_ERROR(within("B", problem.B, 0, problem.N - 1));
    RETURN_IF_ERROR(within("P", problem.P, 0, problem.N));
    if (std::gcd(problem.A, problem.N) != 1) {
      return failure("\"A\": {} has a factor in common with \"N\", {}", problem.A, problem.N);
    }
    if (problem.T.empty() || std::ssize(problem.T) > std::min(problem.N, 4 * kMaxShownNumbers) ||
        problem.T.find_first_not_of("01") != std::string::npos) {
      return failure("\"T\": expected 1 to \"N\" characters 0 or 1, at most {}",
                     4 * kMaxShownNumbers);
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A binary string C has the {0} characters C[0], C[1], ..., C[{1}]. C[i] is 0 if the "
        "remainder of {2}·i + {3} divided by {0} is less than {4}, and 1 otherwise.\n"
        "At how many places does the string T = {5}, of length {6}, occur in C as a contiguous "
        "block? Occurrences may overlap, and each lies wholly within C: the end of C is not joined "
        "to its beginning.\n"
        "Answer with one integer.",
        problem.N, problem.N - 1, problem.A, problem.B, problem.P, problem.T, problem.T.size());
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t length = std::ssize(problem.T);
    const auto zeros = static_cast<double>(std::ranges::count(problem.T, '0'));
    const auto places = static_cast<double>(problem.N - length + 1);
    const double share = static_cast<double>(problem.P) / static_cast<double>(problem.N);
    const double expected =
        std::pow(share, zeros) * std::pow(1.0 - share, static_cast<double>(length) - zeros);
    const bool begins_with_zero = problem.T.front() == '0';
    return {{"as if characters were independent", std::llround(places * expected)},
            {"N / (2 |T|), rounded", (problem.N + length) / (2 * length)},
            {"the characters like the first of T",
             begins_with_zero ? problem.P : problem.N - problem.P},
            {"N - |T| + 1", problem.N - length + 1}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw_problem(const Config& config, Rng& rng) {
    Problem problem;
    do {
      problem.N = rng.integer(std::max<std::int64_t>(8, config.MAX_N / 2), config.MAX_N);
      problem.A = rng.integer(2, problem.N - 1);
    } while (std::gcd(problem.A, problem.N) != 1);
    problem.B = rng.integer(0, problem.N - 1);
    problem.P = rng.integer(problem.N / 8, problem.N - problem.N / 8);
    const std::int64_t least = config.MAX_N < kManyCharacters ? 2 : config.MAX_M / 2;
    const std::int64_t length = rng.integer(least, std::min<std::int64_t>(config.MAX_M, problem.N));
    const std::int64_t first = rng.integer(0, problem.N - length);
    std::int64_t value =
        mul_mod(problem.A, first, problem.N) - (problem.N - problem.B);  // of the rule, less N
    for (std::int64_t i = 0; i < length; ++i) {
      if (value < 0) value += problem.N;
      problem.T += value < problem.P ? '0' : '1';
      value += problem.A - problem.N;
    }
    problem.reference_answer = count(problem);
    return problem;
  }

  // A·i modulo N takes each value v of 0 … N − 1 once. At the place of v, T[x] is right if v + A·x
  // + B lies in an interval, modulo N; so each x forbids an interval of v, and each place too near
  // to the end forbids its own v. The union of all is left out.
  static std::int64_t count(const Problem& problem) {
    const std::int64_t n = problem.N;
    std::vector<std::pair<std::int64_t, std::int64_t>> forbidden;  // first, end
    forbidden.reserve(3 * problem.T.size());
    std::int64_t shift = problem.B;  // A·x + B modulo N
    for (const char c : problem.T) {
      // Of the rule's values P … N − 1 are forbidden for a 0, 0 … P − 1 for a 1.
      std::int64_t first = (c == '0' ? problem.P : 0) - shift;
      if (first < 0) first += n;
      const std::int64_t end = first + (c == '0' ? n - problem.P : problem.P);
      forbidden.emplace_back(first, std::min(end, n));
      if (end > n) forbidden.emplace_back(0, end - n);
      shift += problem.A;
      if (shift >= n) shift -= n;
    }
    std::int64_t value = 0;  // A·i modulo N of the places from the last one back
    for (std::size_t i = 1; i < problem.T.size(); ++i) {
      value -= problem.A;
      if (value < 0) value += n;
      forbidden.emplace_back(value, value + 1);
    }
    std::ranges::sort(forbidden);
    std::int64_t free = 0;
    std::int64_t reached = 0;
    for (const auto& [first, end] : forbidden) {
      free += std::max<std::int64_t>(0, first - reached);
      reached = std::max(reached, end);
    }
    return free + n - reached;
  }
};
REDQUEEN_ENVIRONMENT(KUR);

}  // namespace
}  // namespace redqueen
