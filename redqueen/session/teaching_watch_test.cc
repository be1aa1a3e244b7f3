#include "redqueen/session/teaching_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redqueen {
namespace {

using ::testing::HasSubstr;

struct Step {
  double effective;
  double well_formed;
  double solved;
};

// What is said after `steps` equal steps.
std::string said(TeachingWatch& watch, const Step& step, int steps) {
  std::string all;
  const std::vector<run::MetricValue> metrics{
      {std::string(run::metric::kEffectivePrompts), step.effective},
      {std::string(run::metric::kWellFormed), step.well_formed},
      {std::string(run::metric::kSolved), step.solved}};
  for (int i = 0; i < steps; ++i) all += watch.take(metrics).value_or("");
  return all;
}

std::string said(const Step& step, int steps) {
  TeachingWatch watch;
  return said(watch, step, steps);
}

TEST(TeachingWatch, NamesTheLikelyCause) {
  EXPECT_THAT(said({0, 0.01, 0}, 10), HasSubstr("prompt format"));
  EXPECT_THAT(said({0, 1, 0}, 10), HasSubstr("too hard"));
  EXPECT_THAT(said({0, 1, 1}, 10), HasSubstr("too easy"));
  EXPECT_THAT(said({0, 1, 0.5}, 10), HasSubstr("temperature"));
}

TEST(TeachingWatch, SpeaksOnceAndNotTooEarly) {
  EXPECT_EQ(said({0, 1, 0}, 9), "");
  EXPECT_EQ(said({0, 1, 0}, 10), said({0, 1, 0}, 500));
  EXPECT_EQ(said({0.3, 1, 0.4}, 100), "");
  TeachingWatch watch;
  EXPECT_EQ(said(watch, {0, 1, 0}, 9) + said(watch, {0.3, 1, 0.4}, 1) + said(watch, {0, 1, 0}, 9),
            "");
}

TEST(TeachingWatch, KnowsNothingOfRecipesWithoutTheMetric) {
  TeachingWatch watch;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(watch.take({}), std::nullopt);
}

}  // namespace
}  // namespace redqueen
