#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct HalvingChainCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "HalvingChainCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the sequences of positive integers that begin with N and in which every element "
          "is at most half of the one before it.",
      .levels =
          "The bound on N starts at 16 and grows by half each level. Beyond level 26 the table of "
          "the reference solution would take too long.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences = "N lies in the upper half of its range.",
      .source = "Calculating numbers (数的计算), NOIP 2001, junior group",
      .max_level = 26,
  };

  static constexpr std::int64_t kMaxNumber = 1'000'000;  // its count has less than 160 bits

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(MAX_N, N, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(16, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = draw_upper_half(1, config.MAX_N, rng)};
    problem.reference_answer = count(problem.N);
    return problem;
  }

  // N is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(1, config.MAX_N)};
    problem.reference_answer = count(problem.N);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNumber));
    return reference_is("reference_answer", problem.reference_answer, count(problem.N));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the finite sequences of positive integers that begin with {0} and in which every "
        "further element is at most half of the one right before it (exactly half, not rounded: "
        "after 5 may come 1 or 2, but not 3). A sequence may end anywhere; {0} alone is one, "
        "too.\n"
        "Answer with one integer.",
        problem.N);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t triangle = problem.N / 2;
    triangle = 1 + triangle * (triangle + 1) / 2;
    return {{"sequences of up to two elements", format_answer(1 + problem.N / 2)},
            {"one and the sum of the numbers up to half of N", format_answer(triangle)}};
  }

 private:
  // Room for the largest count; arithmetic on it allocates nothing.
  using Wide = boost::multiprecision::number<
      boost::multiprecision::cpp_int_backend<192, 192, boost::multiprecision::unsigned_magnitude,
                                             boost::multiprecision::unchecked, void>,
      boost::multiprecision::et_off>;

  // 2h and 2h + 1 begin as many sequences: 1 + those that begin with 1 … h, which is what 2h − 2
  // has and those that begin with h.
  static BigInt count(std::int64_t number) {
    const std::int64_t half = number / 2;
    std::vector<Wide> with_half(static_cast<std::size_t>(half / 2) + 1);
    Wide count = 1;
    with_half[0] = 1;
    for (std::int64_t h = 1; h <= half; ++h) {
      count += with_half[h / 2];
      if (h <= half / 2) with_half[h] = count;
    }
    return BigInt(count);
  }
};
REDQUEEN_ENVIRONMENT(HalvingChainCounting);

}  // namespace
}  // namespace redqueen
