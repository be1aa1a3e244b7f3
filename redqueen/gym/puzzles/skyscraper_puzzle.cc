#include "redqueen/gym/common/puzzle/skyscrapers.h"

namespace redqueen {
namespace {

struct CountedBuildings {
  static constexpr std::string_view kMeaning = "how many buildings are seen";
  static std::int64_t worth(std::int64_t /*height*/) { return 1; }
};

struct SkyscraperPuzzle : SkyscraperEnvironment<CountedBuildings> {
  static constexpr Card card{
      .name = "SkyscraperPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Find a Latin square of heights from the numbers of buildings that are seen from either "
          "end of "
          "each row and column.",
      .levels = "The side of the square starts at 3 and grows by one a level.",
      .rewards =
          "-1 no grid of integers of the right size, -0.5 no Latin square, else (numbers that fit "
          "/ "
          "all)^10.",
      .differences =
          "The squares are random Latin squares, not sums of a row's and a column's number.",
      .slow_reason = SlowReason::kMoreWork,
  };

  // The squares add a row's and a column's number.
  static Problem published(const Config& config, Rng& rng) {
    const NumberGrid grid = random_cyclic_square(config.N, rng);
    Problem problem = skyscrapers_of(grid, CountedBuildings::worth);
    problem.reference_answer = format_answer(grid);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(SkyscraperPuzzle);

}  // namespace
}  // namespace redqueen
