#include "redqueen/arena/judge/leaderboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ResultTable paper() {
  return read_results(source_dir() / "redqueen/arena/testdata/core16-paper.json").value();
}

std::string rounded(double value) { return fmt::format("{:.3f}", value); }

// Every figure is the paper's own (Table 1 and section 5).
TEST(Leaderboard, PrintsThePapersFigures) {
  const auto list = standings(paper()).value();
  std::vector<std::string> scores;
  std::vector<int> wins;
  std::vector<int> top_two;
  std::vector<std::string> closed;
  for (const Standing& each : list) {
    scores.push_back(rounded(each.rank_score));
    wins.push_back(each.wins);
    top_two.push_back(each.top_two);
    closed.push_back(rounded(each.synthesis) + " " + rounded(each.tuning));
  }
  EXPECT_THAT(scores, ElementsAre("0.891", "0.750", "0.531", "0.359", "0.109"));
  EXPECT_THAT(wins, ElementsAre(9, 5, 1, 1, 0));
  EXPECT_THAT(top_two, ElementsAre(16, 12, 3, 1, 0));
  EXPECT_THAT(closed, ElementsAre("0.985 0.985", "0.999 0.835", "0.193 0.829", "0.028 0.668",
                                  "0.000 0.000"));
  const auto& first = list[0].family_scores;
  const auto& second = list[1].family_scores;
  EXPECT_EQ(rounded(first.at("Control and Box2D")), "0.938");
  EXPECT_EQ(rounded(first.at("MuJoCo")), "0.875");
  EXPECT_EQ(rounded(first.at("MiniGrid")), "0.812");
  EXPECT_EQ(rounded(first.at("Driving and Robotics")), "0.938");
  EXPECT_EQ(rounded(second.at("Control and Box2D")), "0.812");
  EXPECT_EQ(rounded(second.at("Driving and Robotics")), "0.500");
  EXPECT_EQ(rounded(random_to_best(paper(), 1, 2)), "0.243");  // Claude's BipedalWalker
}

TEST(Leaderboard, EqualMeansShareTheBetterRank) {
  ResultTable table;
  table.environments = {{.id = "a", .family = "x"}};
  table.agents = {"one", "two", "three"};
  table.scores = {{5}, {5}, {1}};
  const auto list = standings(table).value();
  EXPECT_EQ(list[0].rank_score, 1.0);
  EXPECT_EQ(list[1].rank_score, 1.0);
  EXPECT_EQ(list[2].rank_score, 0.0);
  EXPECT_EQ(list[0].wins + list[1].wins, 2);
}

// A run without a score is below every one that played, and never wins.
TEST(Leaderboard, WhoHasNoScoreIsLast) {
  ResultTable table;
  table.environments = {{.id = "a", .family = "x"}};
  table.agents = {"minus", "none", "zero", "also none"};
  table.scores = {{-500.0}, {std::nullopt}, {0.0}, {std::nullopt}};
  const auto list = standings(table).value();
  EXPECT_EQ(list[0].agent, "zero");
  EXPECT_EQ(list[0].rank_score, 1.0);
  EXPECT_EQ(list[1].agent, "minus");
  EXPECT_NEAR(list[1].rank_score, 2.0 / 3, 1e-12);
  for (const std::size_t last : {2, 3}) {
    EXPECT_EQ(list[last].rank_score, 0.0);
    EXPECT_EQ(list[last].wins, 0);
    EXPECT_EQ(list[last].without_score, 1);
  }
  EXPECT_THAT(leaderboard_text(table, list), HasSubstr("no score"));
  table.scores = {{std::nullopt}, {std::nullopt}, {std::nullopt}, {std::nullopt}};
  for (const Standing& each : standings(table).value()) EXPECT_EQ(each.rank_score, 0.0);
}

// Two agents over eight cases whose differences are 0 or 1: the sum of a resample is binomial, so
// its percentiles are known without drawing.
TEST(Leaderboard, IntervalsAreThoseOfTheBinomialDistribution) {
  ResultTable table;
  table.environments = {{.id = "a", .family = "x"}};
  table.agents = {"one", "two"};
  table.returns = {{{1, 1, 1, 1, 1, 1, 1, 1}}, {{0, 0, 0, 0, 1, 1, 1, 1}}};
  table.scores = {{1.0}, {0.5}};
  const auto difference = paired_differences(table).at(0);
  EXPECT_EQ(difference.cases, 8U);
  EXPECT_EQ(difference.mean, 0.5);
  double below = 0;
  double chance = std::pow(0.5, 8);
  int low = -1;
  int high = -1;
  for (int k = 0; k <= 8; ++k) {
    below += chance;
    if (low < 0 && below > 0.025) low = k;
    if (high < 0 && below >= 0.975) high = k;
    chance *= (8.0 - k) / (k + 1.0);
  }
  EXPECT_EQ(difference.interval.low, low / 8.0);
  EXPECT_EQ(difference.interval.high, high / 8.0);
}

// With many cases the interval is that of the normal distribution.
TEST(Leaderboard, IntervalsOfManyCasesAreThoseOfTheNormalDistribution) {
  ResultTable table;
  table.environments = {{.id = "a", .family = "x"}};
  table.agents = {"one", "two"};
  Rng rng({.seed = 3});
  std::vector<double> one;
  std::vector<double> two;
  double sum = 0;
  double squares = 0;
  constexpr int kCases = 2000;
  for (int i = 0; i < kCases; ++i) {
    const double hardness = 100 * rng.normal();  // of the case: pairing takes it out
    one.push_back(hardness + rng.normal() + 0.2);
    two.push_back(hardness + rng.normal());
    sum += one.back() - two.back();
    squares += (one.back() - two.back()) * (one.back() - two.back());
  }
  const double mean = sum / kCases;
  const double half = 1.959963984540054 * std::sqrt((squares / kCases - mean * mean) / kCases);
  table.returns = {{one}, {two}};
  table.scores = {{mean}, {0.0}};
  const auto difference = paired_differences(table).at(0);
  EXPECT_NEAR(difference.mean, mean, 1e-9);
  EXPECT_NEAR(difference.interval.low, mean - half, 0.1 * half);
  EXPECT_NEAR(difference.interval.high, mean + half, 0.1 * half);
  const auto again = paired_differences(table).at(0);
  EXPECT_EQ(difference.interval, again.interval);
}

// The paper's rule calls the better mean a win, be it by chance; the interval does not.
TEST(Leaderboard, WinsAreClearOnlyWhereTheIntervalSaysSo) {
  ResultTable table;
  table.environments = {{.id = "a", .family = "x"}, {.id = "b", .family = "x"}};
  table.agents = {"one", "two", "gone"};
  const std::vector<double> noise = {0, 9, 1, 8, 2, 7, 3, 6};
  std::vector<double> other = {9, 0, 8, 1, 7, 2, 6, 3};
  other[0] += 1;  // the better mean, by one case
  std::vector<double> better;
  for (const double each : noise) better.push_back(each + 0.5);
  table.returns = {{noise, better}, {other, noise}, {{}, {}}};
  table.scores = {{4.5, 5.0}, {4.625, 4.5}, {std::nullopt, std::nullopt}};
  const auto list = standings(table).value();
  EXPECT_EQ(list[0].wins, 1);
  EXPECT_EQ(list[1].wins, 1);
  for (const Standing& each : list) {
    EXPECT_EQ(each.clear_wins, each.agent == "one" ? 1 : 0) << each.agent;
  }
  // Rank scores of resamples, brute force: in "b" one is always first; in "a" it is first or
  // second.
  const Standing& one = list[0].agent == "one" ? list[0] : list[1];
  EXPECT_EQ(one.rank_interval, (run::Interval{.low = 0.75, .high = 1.0}));
  EXPECT_EQ(list[2].rank_interval, (run::Interval{.low = 0.0, .high = 0.0}));
  table.returns[0][0].pop_back();
  table.returns[1][0].pop_back();  // seven cases bear no interval
  EXPECT_FALSE(standings(table).value()[0].rank_interval);
  EXPECT_EQ(paired_differences(table).size(), 1U);
}

class Runs : public testing::Test {
 protected:
  void add(const std::string& path, const std::string& env, double score,
           const std::string& version = "1", const std::string& cases = "drawn", int budget = 128) {
    const fs::path folder = folder_ / path;
    fs::create_directories(folder);
    const Json record = {{"env", env},
                         {"score", score},
                         {"cases", cases},
                         {"versions", {{"gymnasium", version}}},
                         {"settings", {{"budget", budget}, {"heldout", 32}}}};
    write_file(folder / "run.json", dump_json(record));
  }
  // The same with cases: their hash, and what each returned.
  void add_played(const std::string& path, const std::string& hash,
                  const std::vector<double>& returns, int faults = 0) {
    double sum = 0;
    for (const double each : returns) sum += each;
    const Json record = {{"env", "A"},
                         {"score", sum / static_cast<double>(returns.size())},
                         {"cases", "drawn"},
                         {"hashes", {{"train", "t"}, {"validation", "v"}, {"heldout", hash}}},
                         {"faults", {{"heldout", {{"act", faults}}}}},
                         {"heldout", {{"returns", returns}}}};
    fs::create_directories(folder_ / path);
    write_file(folder_ / path / "run.json", dump_json(record));
  }
  TestFolder folder_;
};

TEST_F(Runs, AreCollectedWithTheMeanOfExperiments) {
  add("ann/a/1", "A", 1);
  add("ann/a/2", "A", 3);
  add("bob/a/1", "A", 1.5);
  const auto table = collect_results(folder_.path()).value();
  EXPECT_THAT(table.agents, ElementsAre("ann", "bob"));
  EXPECT_THAT(table.scores, ElementsAre(ElementsAre(2.0), ElementsAre(1.5)));
}

TEST_F(Runs, AreRefusedWhereTheyCannotBeCompared) {
  EXPECT_THAT(collect_results(folder_.path()).error().message, HasSubstr("no finished run"));
  add("ann/a/1", "A", 1);
  add("bob/a/1", "A", 1, "2");
  EXPECT_THAT(collect_results(folder_.path()).error().message, HasSubstr("versions"));
  add("bob/a/1", "A", 1, "1", "published");
  EXPECT_THAT(collect_results(folder_.path()).error().message, HasSubstr("cases"));
  add("bob/a/1", "A", 1, "1", "drawn", 64);
  EXPECT_THAT(collect_results(folder_.path()).error().message,
              AllOf(HasSubstr("budget 128"), HasSubstr("has 64")));
  add("bob/a/1", "A", 1);
  add("bob/b/1", "B", 1);
  EXPECT_THAT(collect_results(folder_.path()).error().message,
              HasSubstr("ann has no finished run"));
}

TEST_F(Runs, OfIsolatedAndOpenAgentsAreNotMixed) {
  add("ann/a/1", "A", 1);
  add("bob/b/1", "B", 2);
  Json record = *parse_json(read_file(folder_ / "bob/b/1/run.json"));
  record["isolated"] = true;
  write_file(folder_ / "bob/b/1/run.json", dump_json(record));
  const auto mixed = collect_results(folder_.path());
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(mixed.error().message,
              AllOf(HasSubstr("bob/b/1/run.json is of an isolated agent"),
                    HasSubstr("ann/a/1/run.json"), HasSubstr("--no-isolate")));
  record["env"] = "A";
  for (const char* path : {"ann/a/1", "bob/b/1"}) {
    write_file(folder_ / path / "run.json", dump_json(record));
  }
  EXPECT_TRUE(collect_results(folder_.path()));
}

// A failed run that is left out would leave the mean of the others.
TEST_F(Runs, WithoutAScoreLeaveTheAgentWithoutOne) {
  add("ann/a/1", "A", -7);
  add("bob/a/1", "A", 2);
  add("bob/a/2", "A", 0);
  write_file(folder_ / "bob/a/2/run.json",
             R"({"env": "A", "score": null, "cases": "drawn", "versions": {"gymnasium": "1"},
                 "settings": {"budget": 128, "heldout": 32}})");
  const auto table = collect_results(folder_.path());
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->scores[1][0], std::nullopt);
  const auto list = standings(*table).value();
  EXPECT_EQ(list[0].agent, "ann");
  EXPECT_EQ(list[1].rank_score, 0.0);
  write_file(folder_ / "bob/a/2/run.json", R"({"env": "A", "score": "much"})");
  EXPECT_FALSE(collect_results(folder_.path()));
}

TEST_F(Runs, OfOtherCasesAreRefusedUnlessAskedFor) {
  const std::vector<double> returns = {1, 2, 3, 4, 5, 6, 7, 8};
  add_played("ann/a/1", "one", returns);
  add_played("bob/a/1", "two", {2, 3, 4, 5, 6, 7, 8, 9});
  const auto refused = collect_results(folder_.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("arena cases make"),
                                             HasSubstr("held out one"), HasSubstr("held out two")));
  const auto mixed = collect_results(folder_.path(), true).value();
  EXPECT_THAT(mixed.mixed_cases, ElementsAre("A"));
  EXPECT_TRUE(paired_differences(mixed).empty());
  EXPECT_THAT(leaderboard_text(mixed, standings(mixed).value()), HasSubstr("--mixed-cases"));
  // Experiments may have cases of their own, if all agents have the same.
  add_played("ann/a/2", "two", {3, 3, 3, 3, 3, 3, 3, 3}, 2);
  EXPECT_FALSE(collect_results(folder_.path()));
  add_played("bob/a/2", "one", {0, 1, 2, 3, 4, 5, 6, 7});
  const auto table = collect_results(folder_.path()).value();
  const auto difference = paired_differences(table).at(0);
  EXPECT_EQ(difference.cases, 16U);
  // By hand: on the cases "one" ann is better by 1, on "two" worse by 2.5 in the mean.
  EXPECT_NEAR(difference.mean, (1 - 2.5) / 2, 1e-12);
  EXPECT_NEAR(*table.scores[0][0] - *table.scores[1][0], difference.mean, 1e-12);
  EXPECT_EQ(standings(table).value()[1].faults, 2);
}

}  // namespace
}  // namespace redqueen::arena
