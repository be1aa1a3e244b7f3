#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Two lines meet at fractions with denominators up to 2·N; between any two such places lies a
// multiple of 1/(16·N²) that is none, and a line is visible if it is highest at one of them alone.
std::vector<std::int64_t> highest_somewhere(const std::vector<std::array<std::int64_t, 2>>& lines) {
  const auto n = static_cast<std::int64_t>(lines.size());
  const std::int64_t parts = 16 * n * n;
  std::vector<char> found(lines.size(), 0);
  for (std::int64_t x = -(2 * n + 1) * parts; x <= (2 * n + 1) * parts; ++x) {
    std::size_t highest = 0;
    bool alone = true;
    const auto height = [&](std::size_t i) { return lines[i][0] * x + lines[i][1] * parts; };
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (height(i) == height(highest)) alone = false;
      if (height(i) > height(highest)) {
        highest = i;
        alone = true;
      }
    }
    if (alone) found[highest] = 1;
  }
  std::vector<std::int64_t> visible;
  for (std::int64_t i = 0; i < n; ++i) {
    if (found[i]) visible.push_back(i);
  }
  return visible;
}

TEST(VisibleLine, AgreesWithALookAtManyPlaces) {
  for (int level = 0; level <= 4; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto problem = make_problem("VisibleLine", level, seed);
      const auto lines =
          problem->parameter()["lines"].get<std::vector<std::array<std::int64_t, 2>>>();
      EXPECT_EQ(problem->reference(), format_answer(highest_somewhere(lines))) << problem->prompt();
    }
  }
}

TEST(VisibleLine, DoesNotCountALineThatTouchesAtAPoint) {
  const auto problem = restore_problem(
      "VisibleLine", R"({"N": 3, "lines": [[1, 0], [0, 0], [-1, 0]], "gold_answer": [0, 2]})");
  EXPECT_TRUE(problem->score("2 0 2").solved);
  EXPECT_NEAR(problem->score("0 1 2").reward, std::pow(2.0 / 3, 5), 1e-12);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("0 3").reward, kMalformedReward);
  EXPECT_FALSE(
      Registry::native()
          .find("VisibleLine")
          ->restore(*parse_json(
              R"({"N": 3, "lines": [[1, 0], [0, 0], [-1, 0]], "gold_answer": [0, 1, 2]})")));
}

}  // namespace
}  // namespace redqueen
