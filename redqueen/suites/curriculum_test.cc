#include "redqueen/suites/curriculum.h"

#include <gtest/gtest.h>

#include <map>

#include "redqueen/core/testing/repeat_number.h"

namespace redqueen {
namespace {

// An environment of which only the card matters here.
template <int kHighest>
struct Plain : RepeatNumber {
  static constexpr Card card{.name = kHighest < 10 ? "Low" : "High",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "None.",
                             .rewards = "1 if right, else 0.",
                             .max_level = kHighest};
};
const NativeEnvironment<Plain<2>> kLow;
const NativeEnvironment<Plain<100>> kHigh;

constexpr int kCurriculumRollouts = 4;

Curriculum make(CurriculumOptions options = {}) {
  return {{&kHigh, &kLow}, options, kCurriculumRollouts};
}

// Records `attempts` rollouts at a level, the first `solved` of them solved, and ends the step.
void play(Curriculum& curriculum, std::size_t environment, int level, int attempts, int solved) {
  for (int i = 0; i < attempts; ++i) curriculum.record({environment, level}, i < solved);
  curriculum.end_step();
}

std::pair<int, int> range(const Curriculum& curriculum, std::size_t environment = 0) {
  const run::CurriculumState row = curriculum.rows()[environment];
  return {row.lower_level, row.upper_level};
}

using Ends = std::pair<int, int>;

TEST(Curriculum, RisesWhenTheUpperLevelIsMastered) {
  Curriculum curriculum = make();
  EXPECT_EQ(range(curriculum), Ends(0, 0));
  play(curriculum, 0, 0, 31, 31);
  EXPECT_EQ(range(curriculum), Ends(0, 0)) << "31 of 32 rollouts are too few to judge";
  play(curriculum, 0, 0, 1, 0);
  EXPECT_EQ(range(curriculum), Ends(0, 1)) << "31 of 32 solved is more than 0.9";
  play(curriculum, 0, 1, 32, 28);
  EXPECT_EQ(range(curriculum), Ends(0, 1)) << "28 of 32 is less than 0.9";
  EXPECT_EQ(curriculum.rows()[0].attempts, 0) << "the count starts again after a judgement";
}

TEST(Curriculum, CountsTheUpperLevelOnly) {
  Curriculum curriculum = make();
  play(curriculum, 0, 0, 32, 32);
  play(curriculum, 0, 0, 100, 100);
  EXPECT_EQ(range(curriculum), Ends(0, 1));
  EXPECT_EQ(curriculum.rows()[0].attempts, 0);
}

TEST(Curriculum, KeepsItsWidth) {
  Curriculum curriculum = make();
  for (int level = 0; level < 10; ++level) {
    play(curriculum, 0, level, 32, 32);
    const auto [low, high] = range(curriculum);
    EXPECT_EQ(high, level + 1);
    EXPECT_EQ(low, std::max(0, high - 3));
  }
}

TEST(Curriculum, StopsAtTheHighestLevelOfAnEnvironment) {
  Curriculum curriculum = make();
  for (int level : {0, 1, 2, 2, 2}) play(curriculum, 1, level, 32, 32);
  EXPECT_EQ(range(curriculum, 1), Ends(0, 2));
}

TEST(Curriculum, DrawsUniformly) {
  Curriculum curriculum = make();
  play(curriculum, 0, 0, 32, 32);
  Rng rng({.seed = 1, .purpose = hash_name("curriculum_test"), .step = 0, .index = 0, .salt = 0});
  std::map<std::pair<std::size_t, int>, int> counts;
  for (int i = 0; i < 8000; ++i) {
    const auto draw = curriculum.draw(rng);
    ++counts[{draw.environment, draw.level}];
  }
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_NEAR((counts[{1, 0}]), 4000, 300);
  EXPECT_NEAR((counts[{0, 0}]), 2000, 250);
  EXPECT_NEAR((counts[{0, 1}]), 2000, 250);
}

TEST(Curriculum, DrawsByWeight) {
  const Curriculum curriculum({&kHigh, &kLow}, {}, kCurriculumRollouts, {1, 3});
  Rng rng({.seed = 1, .purpose = hash_name("curriculum_test")});
  int low = 0;
  for (int i = 0; i < 8000; ++i) low += curriculum.draw(rng).environment == 1;
  EXPECT_NEAR(low, 6000, 200);
}

TEST(Curriculum, HoldsAStaticRange) {
  Curriculum curriculum = make({.difficulty = Difficulty::kStatic, .low = 0, .high = 20});
  EXPECT_EQ(range(curriculum, 0), Ends(0, 20));
  EXPECT_EQ(range(curriculum, 1), Ends(0, 2));
  play(curriculum, 0, 20, 1000, 1000);
  EXPECT_EQ(range(curriculum, 0), Ends(0, 20));
}

TEST(Curriculum, RestoresItsState) {
  Curriculum curriculum = make();
  play(curriculum, 0, 0, 32, 32);
  play(curriculum, 0, 1, 7, 3);
  Curriculum other = make();
  ASSERT_TRUE(other.restore(*parse_json(dump_json(curriculum.state()))).has_value());
  EXPECT_EQ(other.rows(), curriculum.rows());
  EXPECT_FALSE(other.restore(Json::object()).has_value());
}

}  // namespace
}  // namespace redqueen
