#include "redqueen/run/report/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace redqueen::run {
namespace {

using testing::HasSubstr;

RunData run_of(int solved, double effective) {
  RunData run;
  run.evaluations.push_back({.policy = "after",
                             .suite = "s",
                             .environment = "Sorting",
                             .problems = 100,
                             .solved = solved});
  run.metrics[std::string(metric::kEffectivePrompts)] = {{1, effective}, {2, effective}};
  return run;
}

TEST(Variants, OfOneRunHaveTheIntervalsOfTheirProblems) {
  const RunData low = run_of(30, 0.5);
  const RunData high = run_of(45, 0.7);
  const std::vector<Variant> variants{{"low", {&low}}, {"high", {&high}}};
  const auto tables = variant_tables(variants);
  ASSERT_EQ(tables.size(), 1u);
  const VariantRow& row = tables[0].rows[1];
  EXPECT_DOUBLE_EQ(row.solved, 0.45);
  EXPECT_EQ(row.interval, wilson_interval(45, 100));
  EXPECT_DOUBLE_EQ(row.difference, 0.15);
  EXPECT_EQ(row.difference_interval,
            difference_interval(0.45, wilson_interval(45, 100), 0.3, wilson_interval(30, 100)));
  EXPECT_DOUBLE_EQ(row.effective_prompts, 0.7);
  EXPECT_THAT(variant_text(tables[0]), HasSubstr("45.0 % [35.6, 54.8]"));
  EXPECT_THAT(variant_text(tables[0]), HasSubstr("+15.0 % ["));
}

// Differences are taken seed by seed: what a seed brings to both variants is no noise of theirs.
TEST(Variants, OfSeveralSeedsArePaired) {
  const std::vector<RunData> low{run_of(10, 1), run_of(30, 1), run_of(50, 1)};
  const std::vector<RunData> high{run_of(15, 1), run_of(36, 1), run_of(54, 1)};
  const std::vector<Variant> variants{{"low", {&low[0], &low[1], &low[2]}},
                                      {"high", {&high[0], &high[1], &high[2]}}};
  const VariantRow row = variant_tables(variants)[0].rows[1];
  EXPECT_NEAR(row.difference, 0.05, 1e-12);
  EXPECT_GT(row.difference_interval.low, 0);
  EXPECT_LT(row.interval.low, 0.3);
  EXPECT_GT(row.interval.high, 0.5);
}

TEST(Variants, WithoutEvaluationsStillHaveTheirPrompts) {
  RunData run = run_of(1, 0.25);
  run.evaluations.clear();
  const auto tables = variant_tables(std::vector<Variant>{{"<b>", {&run}}, {"other", {&run}}});
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_TRUE(std::isnan(tables[0].rows[0].solved));
  EXPECT_THAT(variant_text(tables[0]), HasSubstr("0.250"));
  EXPECT_THAT(variant_html(tables[0]), HasSubstr("&lt;b&gt;"));
}

}  // namespace
}  // namespace redqueen::run
