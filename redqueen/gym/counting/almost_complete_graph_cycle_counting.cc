#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct AlmostCompleteGraphCycleCounting : StoredResidue {
  static constexpr Card card{
      .name = "AlmostCompleteGraphCycleCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo an odd number, the simple cycles of a complete graph from which one edge "
          "was removed.",
      .levels =
          "The bound on the number of vertices starts at 5 and grows by half each level. Beyond "
          "level 30 the reference solution, which takes a step a vertex, would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The number of vertices lies in the upper half of its range, and a modulus above the "
          "count is not drawn: it would do nothing, and leave a handful of answers to remember.",
      .max_level = 30,
  };

  static constexpr std::int64_t kMaxVertices = 1'000'000;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, N, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = draw_upper_half(5, config.MAX_N, rng)};
    // With 12 vertices there are more cycles than the largest modulus.
    const Cycles cycles = count(std::min<std::int64_t>(problem.N, 12), std::int64_t{1} << 40);
    problem.MOD =
        draw_modulus(static_cast<double>(cycles.without_edge), 3, kMaxDrawnModulus, rng) | 1;
    problem.reference_answer = count(problem.N, problem.MOD).without_edge;
    return problem;
  }

  // The number of vertices is uniform up to its bound, the modulus any odd number up to a million
  // and one.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(4, config.MAX_N)};
    problem.MOD = 2 * rng.integer(1, 500'000) + 1;
    problem.reference_answer = count(problem.N, problem.MOD).without_edge;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 3, kMaxVertices));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer,
                        count(problem.N, problem.MOD).without_edge);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A graph has {0} vertices, numbered from 1 to {0}. There is one edge between every two of "
        "them, except that there is none between vertex 1 and vertex {0}. Count the simple cycles: "
        "a simple cycle visits three or more different vertices, each once, along edges, and comes "
        "back to where it began. Cycles with the same edges are one cycle, wherever they begin and "
        "in whichever direction they run.\n"
        "{1}",
        problem.N, ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Cycles cycles = count(problem.N, problem.MOD);
    std::int64_t all_vertices = 1;  // (N − 1)!/2
    for (std::int64_t i = 3; i < problem.N; ++i) all_vertices = all_vertices * i % problem.MOD;
    return {{"the cycles of the complete graph", format_answer(cycles.complete)},
            {"the cycles through all vertices", format_answer(all_vertices)}};
  }

 private:
  static constexpr std::int64_t kMaxDrawnModulus = 999'999;

  struct Cycles {
    std::int64_t complete;      // of the complete graph
    std::int64_t without_edge;  // of those, the ones without one certain edge
  };

  // Adds vertex by vertex. Of m vertices, two given ones are joined by 1 + (m − 2) · (paths with a
  // vertex less) simple paths; a new vertex lies on as many cycles as there are paths between two
  // of the others.
  static Cycles count(std::int64_t vertices, std::int64_t modulus) {
    std::int64_t paths = 1 % modulus;  // between two of 2 vertices
    std::int64_t cycles = 0;
    for (std::int64_t m = 3; m <= vertices; ++m) {
      cycles = (cycles + (m - 1) * (m - 2) / 2 % modulus * paths) % modulus;
      paths = ((m - 2) * paths + 1) % modulus;
    }
    // Every path but the edge itself closes to a cycle through that edge.
    return {.complete = cycles, .without_edge = (cycles - paths + 1 + modulus) % modulus};
  }
};
REDQUEEN_ENVIRONMENT(AlmostCompleteGraphCycleCounting);

}  // namespace
}  // namespace redqueen
