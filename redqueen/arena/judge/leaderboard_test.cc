#include "redqueen/arena/judge/leaderboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/json.h"
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
TEST_F(Runs, WithoutAScoreAreNamed) {
  add("ann/a/1", "A", 1);
  add("bob/a/1", "A", 2);
  add("bob/a/2", "A", 0);
  const fs::path failed = folder_ / "bob/a/2/run.json";
  write_file(failed, R"({"env": "A", "score": null})");
  const auto table = collect_results(folder_.path());
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(table.error().message, AllOf(HasSubstr(failed.string()), HasSubstr("no score")));
}

}  // namespace
}  // namespace redqueen::arena
