#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Cube_FixedLocalMaximumCounting {
  static constexpr Card card{
      .name = "Cube_FixedLocalMaximumCounting",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "A box is filled with a random permutation; find the probability, modulo a prime, that "
          "exactly K cells exceed all cells that share a coordinate with them.",
      .levels =
          "The bound on the sides of the box starts at 3, a tenth and one more each level; the "
          "answer is a sum of as many terms as the least side is long. Beyond level 49 its cells "
          "would outnumber the prime.",
      .rewards = "-1 malformed, -0.5 outside 0 … 998244352, 0 wrong, 1 right.",
      .differences =
          "Every multiset of three sides is as likely, because the answer does not see their "
          "order; K = 1 is asked too.",
      .source = "Random cube (随机立方体), CTS 2019",
      .max_level = 49,
  };

  static constexpr std::int64_t kPrime = 998244353;
  static constexpr int kMaxSide = 900;  // its cube is below the prime: no divisor is 0

  struct Config {
    int MAX_N_M_L = 0;
    REDQUEEN_FIELDS(MAX_N_M_L)
  };
  struct Problem {
    int MAX_N_M_L = 0;
    int N = 0;
    int M = 0;
    int L = 0;
    int K = 0;
    REDQUEEN_FIELDS(MAX_N_M_L, N, M, L, K)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N_M_L = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    // Sets of three of a range two longer, less 0, 1 and 2, are multisets.
    auto sides = rng.sample(2, config.MAX_N_M_L + 2, 3);
    std::ranges::sort(sides);
    for (int i = 0; i < 3; ++i) sides[i] -= i;
    const std::int64_t least = sides[0];
    rng.shuffle(sides);
    return {.MAX_N_M_L = config.MAX_N_M_L,
            .N = static_cast<int>(sides[0]),
            .M = static_cast<int>(sides[1]),
            .L = static_cast<int>(sides[2]),
            .K = static_cast<int>(rng.integer(1, least))};
  }

  static Problem published(const Config& config, Rng& rng) {
    const auto side = [&] { return static_cast<int>(rng.integer(2, config.MAX_N_M_L)); };
    Problem problem{.MAX_N_M_L = config.MAX_N_M_L, .N = side(), .M = side(), .L = side(), .K = 0};
    problem.K = static_cast<int>(rng.integer(2, least_side(problem)));
    return problem;
  }

  static Status check(const Problem& problem) {
    for (const auto& [key, side] :
         {std::pair{"N", problem.N}, std::pair{"M", problem.M}, std::pair{"L", problem.L}}) {
      if (auto sound = within(key, side, 1, kMaxSide); !sound) return sound;
    }
    return within("K", problem.K, 1, least_side(problem));
  }

  static int least_side(const Problem& problem) {
    return std::min({problem.N, problem.M, problem.L});
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
               "The cells of a box are the triples (x, y, z) with 1 ≤ x ≤ {}, 1 ≤ y ≤ {} and "
               "1 ≤ z ≤ {}. They are filled with the numbers from 1 to {}, each once, in uniformly "
               "random order. A cell dominates if its number is larger than the numbers of all "
               "other cells that have the same x, the same y or the same z as it (one of the three "
               "is enough). What is the probability that exactly {} of the cells {}?\n",
               problem.N, problem.M, problem.L, problem.N * problem.M * problem.L, problem.K,
               problem.K == 1 ? "dominates" : "dominate") +
           ask_for_fraction_residue(kPrime);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return residue_reward(answer, right, kPrime);
  }

  // Inclusion and exclusion over sets of i cells that dominate. No two of them share a coordinate;
  // there are ∏ free(t)/i! such sets over t < i, free(t) the cells that share no coordinate with t
  // given ones. A given order of the i has the smallest first to be the largest of all cells that
  // it is to exceed, and so on: ∏ 1/(free(0) − free(t)) over t = 1 … i.
  static Answer solve(const Problem& problem) {
    const PrimeField field(kPrime);
    const int most = least_side(problem);
    const auto inverse = field.inverses(most);
    const auto free = [&](std::int64_t t) {
      return (problem.N - t) * (problem.M - t) * (problem.L - t);
    };
    std::int64_t expected = 1;  // number of ordered sets of i cells that dominate
    std::int64_t choose = 1;    // i over K
    std::int64_t sum = 0;
    for (int i = 1; i <= most; ++i) {
      expected = field.multiply(expected, field.divide(free(i - 1), free(0) - free(i)));
      if (i < problem.K) continue;
      if (i > problem.K) {
        choose = field.multiply(field.multiply(choose, i), inverse[i - problem.K]);
      }
      const std::int64_t term = field.multiply(choose, expected);
      sum = (i - problem.K) % 2 == 0 ? field.add(sum, term) : field.subtract(sum, term);
    }
    return sum;
  }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kPrime - 1); }

  static std::vector<NamedAnswer> shortcuts(const Problem&) {
    return {{"one seventh, that of two cells in the least box",
             format_answer(PrimeField(kPrime).inverse(7))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(Cube_FixedLocalMaximumCounting);

}  // namespace
}  // namespace redqueen
