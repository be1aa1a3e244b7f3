#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/core/testing/episode_checks.h"

namespace redqueen {
namespace {

// Some of what gym/environment_test.cc asks of the environments in gym/, on every level of the one
// that shows how: it solves and restores its own problems, random answers are of the asked form, no
// simple rule solves it, and its episodes are sound. Forged parameters, hostile answers and the
// growth of the ladder are asked of the gym alone.
TEST(ExampleEnvironment, KeepsTheContract) {
  const Environment* doubling = Registry::native().find("Doubling");
  ASSERT_NE(doubling, nullptr);
  for (int level = 0; level <= doubling->card().max_level; ++level) {
    const Generated problem = doubling->generate(level, 1);
    ASSERT_TRUE(problem.has_value()) << problem.error().message;
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
    const auto restored = doubling->restore((*problem)->parameter());
    ASSERT_TRUE(restored.has_value()) << restored.error().message;
    EXPECT_EQ((*restored)->prompt(), (*problem)->prompt());
    Rng rng({});
    EXPECT_TRUE((*problem)->score((*problem)->random_answer(rng)).well_formed);
    for (const NamedAnswer& guess : (*problem)->shortcuts()) {
      EXPECT_FALSE((*problem)->score(guess.answer).solved) << guess.rule;
    }
    expect_sound_episodes(*doubling, doubling->address(level, 1));
  }
}

TEST(ExampleEnvironment, ScoresByCloseness) {
  const auto problem = Registry::native().find("Doubling")->restore(Json{{"number", 50}});
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ((*problem)->score("100"), (Verdict{1.0, true, true}));
  EXPECT_NEAR((*problem)->score("99").reward, std::pow(0.99, 10), 1e-12);
  EXPECT_EQ((*problem)->score("-1").reward, kInvalidReward);
  EXPECT_EQ((*problem)->score("a hundred"), Verdict{});
  EXPECT_EQ(Registry::native().find("Doubling")->restore(Json{{"number", 0}}).error().message,
            "Doubling: parameter \"number\": 0 is not in 1..1000000000000000000");
}

}  // namespace
}  // namespace redqueen
