#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/prime_binomials.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct DistinctEdgeColoredCompleteGraphCounting : StoredResidue {
  static constexpr Card card{
      .name = "DistinctEdgeColoredCompleteGraphCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a prime, the colourings of the edges of a complete graph that differ "
          "even if the vertices are renamed.",
      .levels =
          "The graph has 3 vertices and one more a level. Beyond level 35 there are too many "
          "partitions of their number for the reference solution.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "There are up to 20 colours even if the graph has fewer edges. Instead of one of three "
          "large primes, the modulus is a random one that is not much above the count. Both leave "
          "more than a few problems a level.",
      .slow_reason = SlowReason::kMoreWork,
      .source = "Coloured graphs (有色图), SHOI 2006",
      .max_level = 35,
  };

  static constexpr std::int64_t kMaxVertices = 40;
  static constexpr std::int64_t kManyColours = 20;
  static constexpr std::int64_t kMaxColours = 1'000'000;
  static constexpr std::int64_t kMaxModulus = 2'147'483'647;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000'007;

  struct Config {
    std::int64_t N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, M, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t edges = config.N * (config.N - 1) / 2;
    Problem problem{.N = config.N, .M = rng.integer(2, std::max(kManyColours, edges))};
    // No fewer than if every class were as large as can be.
    const double classes = std::pow(static_cast<double>(problem.M), static_cast<double>(edges)) /
                           std::tgamma(static_cast<double>(config.N + 1));
    problem.MOD = draw_prime_modulus(classes, std::max<std::int64_t>(config.N + 1, 11),
                                     kMaxDrawnModulus, rng);
    problem.reference_answer = Burnside(problem).count();
    return problem;
  }

  // The number of colours is uniform up to that of edges, and the modulus is one of three large
  // primes.
  static Problem published(const Config& config, Rng& rng) {
    static constexpr std::array<std::int64_t, 3> kPrimes{666'623'333, 998'244'353, 1'000'000'007};
    Problem problem{.N = config.N,
                    .M = rng.integer(2, config.N * (config.N - 1) / 2),
                    .MOD = rng.choice(kPrimes)};
    problem.reference_answer = Burnside(problem).count();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxVertices));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxColours));
    RETURN_IF_ERROR(within("MOD", problem.MOD, problem.N + 1, kMaxModulus));
    if (!is_prime(problem.MOD)) return failure("\"MOD\": {} is not a prime", problem.MOD);
    return reference_is("reference_answer", problem.reference_answer, Burnside(problem).count());
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Each edge of the complete graph on {} vertices gets one of {} colours; not all colours "
        "need to be used. Two colourings are the same if some renaming (permutation) of the "
        "vertices turns one into the other; the colours themselves cannot be exchanged. How many "
        "different colourings are there?\n"
        "{}",
        problem.N, problem.M, ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const PrimeField field(problem.MOD);
    const std::int64_t edges = problem.N * (problem.N - 1) / 2;
    const std::int64_t all = field.power(field.reduce(problem.M), edges);
    const PrimeBinomials tables(field, static_cast<int>(problem.N));
    return {{"all colourings", format_answer(all)},
            {"all colourings over all permutations of the vertices, modulo the prime",
             format_answer(field.multiply(all, tables.inverse_factorial(problem.N)))}};
  }

 private:
  // Burnside's lemma: the colourings that a permutation leaves unchanged, on average over all
  // permutations. These are M^(cycles of edges), which the lengths of the cycles of vertices
  // decide: a cycle of length a has ⌊a/2⌋ cycles of edges within, two of lengths a and b have
  // gcd(a, b) between them. A share of 1 / Π a^c c! of all permutations has c cycles of each length
  // a.
  class Burnside {
   public:
    explicit Burnside(const Problem& problem)
        : field_(problem.MOD),
          tables_(field_, static_cast<int>(problem.N)),
          inverses_(field_.inverses(static_cast<int>(problem.N))),
          vertices_(static_cast<int>(problem.N)) {
      const std::int64_t colours = field_.reduce(problem.M);
      powers_.push_back(1);
      for (std::int64_t i = 0; i < problem.N * (problem.N - 1) / 2; ++i) {
        powers_.push_back(field_.multiply(powers_.back(), colours));
      }
    }

    std::int64_t count() {
      sum_ = 0;
      choose_cycles(1, vertices_, 1, 0);
      return sum_;
    }

   private:
    struct Cycles {
      int length;
      int count;
    };

    // Chooses the numbers of cycles of `length` and more, on `vertices` vertices.
    void choose_cycles(int length, int vertices, std::int64_t share, int edge_cycles) {
      if (vertices == 0) {
        sum_ = field_.add(sum_, field_.multiply(share, powers_[edge_cycles]));
        return;
      }
      if (length > vertices) return;
      choose_cycles(length + 1, vertices, share, edge_cycles);
      int to_others = 0;  // edge cycles between one cycle of `length` and all shorter ones
      for (int i = 0; i < kinds_; ++i) {
        to_others += chosen_[i].count * std::gcd(chosen_[i].length, length);
      }
      const int kind = kinds_++;
      std::int64_t weight = share;
      for (int count = 1; count * length <= vertices; ++count) {
        weight = field_.multiply(weight, inverses_[length]);
        edge_cycles += length / 2 + to_others + (count - 1) * length;
        chosen_[kind] = {.length = length, .count = count};
        choose_cycles(length + 1, vertices - count * length,
                      field_.multiply(weight, tables_.inverse_factorial(count)), edge_cycles);
      }
      --kinds_;
    }

    PrimeField field_;
    PrimeBinomials tables_;
    std::vector<std::int64_t> inverses_;
    std::vector<std::int64_t> powers_;  // of the number of colours
    int vertices_;
    std::array<Cycles, kMaxVertices + 1> chosen_{};
    int kinds_ = 0;
    std::int64_t sum_ = 0;
  };
};
REDQUEEN_ENVIRONMENT(DistinctEdgeColoredCompleteGraphCounting);

}  // namespace
}  // namespace redqueen
