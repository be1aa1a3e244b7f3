#include "redqueen/gym/common/puzzle/skyscrapers.h"

namespace redqueen {
namespace {

struct SkyscraperPuzzle {
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

  using Config = SkyscraperConfig;
  using Problem = Skyscrapers;
  using Answer = NumberGrid;

  static std::int64_t worth(std::int64_t /*height*/) { return 1; }

  static Config at_level(int level, Rng&) { return skyscrapers_at_level(level); }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_skyscrapers(config, worth, rng);
  }

  static Status check(const Problem& problem) { return check_skyscrapers(problem, worth); }

  static std::string prompt(const Problem& problem) {
    return skyscraper_prompt(problem, "how many buildings are seen");
  }

  static double score(const Problem& problem, const Answer& answer) {
    return skyscraper_reward(problem, answer, worth);
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_cyclic_square(problem.N, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return skyscraper_shortcuts(problem, worth);
  }
};
REDQUEEN_ENVIRONMENT(SkyscraperPuzzle);

}  // namespace
}  // namespace redqueen
