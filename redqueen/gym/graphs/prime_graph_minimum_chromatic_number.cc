#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/colouring.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PrimeGraph_MinimumChromaticNumber {
  static constexpr Card card{
      .name = "PrimeGraph_MinimumChromaticNumber",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Colour the numbers 1 to N with as few colours as possible such that numbers differ in "
          "colour where their difference is prime.",
      .levels =
          "N is drawn up to a bound that starts at 6 and grows by half with every level, up to "
          "711: beyond level 12 answers would only be longer.",
      .rewards =
          "-1 malformed, -0.5 another number of colours than N or two numbers of one colour with a "
          "prime difference, else (fewest / used colours)^5.",
      .differences =
          "Any integers are colours; the published statement asked for non-negative ones and took "
          "others as well.",
      .small_answer_space =
          "N alone is the problem, and from 7 on, up to level 12, the highest, the remainders "
          "modulo 4 are the fewest colours. The task is to find them.",
      .guess_until_level = 12,
      .max_level = 12,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxN = 1000;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = static_cast<int>(grow_by_half(6, level))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return {.N = static_cast<int>(rng.integer(3, config.MAX_N))};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 3, kMaxN); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Give each of the numbers 1 to {0} a colour such that two numbers whose difference is a "
        "prime number have different colours, and use as few different colours as possible. "
        "Colours are integers of your choice.\n"
        "Answer with the colours of the numbers 1 to {0} in this order, {0} integers on one line, "
        "separated by spaces.",
        problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    const Colouring colouring = renamed(answer);
    std::vector<std::vector<int>> classes(static_cast<std::size_t>(colouring.count));
    const std::vector<int> smallest_factor = smallest_factors_up_to(problem.N);
    for (int v = 0; v < problem.N; ++v) {
      auto& members = classes[colouring.colour[v]];
      for (std::size_t i = members.size(); i-- > 0;) {
        const int difference = v - members[i];
        if (smallest_factor[difference] == difference) return kInvalidReward;
      }
      members.push_back(v);
    }
    return minimise_reward<std::int64_t>(colouring.count, fewest(problem.N), kBeta);
  }

  static Answer solve(const Problem& problem) {
    Answer colours(static_cast<std::size_t>(problem.N));
    for (std::size_t i = 0; i < colours.size(); ++i) {
      colours[i] = static_cast<std::int64_t>(problem.N <= 6 ? i / 2 : i % 4);
    }
    return colours;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer colours(static_cast<std::size_t>(problem.N));
    for (std::int64_t& colour : colours) colour = rng.integer(0, problem.N - 1);
    return colours;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer all(static_cast<std::size_t>(problem.N));
    std::iota(all.begin(), all.end(), 0);
    Answer by_four = all;
    for (std::int64_t& colour : by_four) colour %= 4;
    return {{"remainders modulo 4", format_answer(by_four)},
            {"a colour for every number", format_answer(all)}};
  }

 private:
  // 1, 3, 6 and 8 are pairwise joined, and differences that 4 divides are no primes. Up to 6,
  // neighbours can share a colour, and no three numbers can.
  static std::int64_t fewest(int n) { return n <= 6 ? (n + 1) / 2 : 4; }
};
REDQUEEN_ENVIRONMENT(PrimeGraph_MinimumChromaticNumber);

}  // namespace
}  // namespace redqueen
