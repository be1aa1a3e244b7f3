// Tables and figures over runs, against counts made by hand and the paper's own figures.
#include "redqueen/arena/judge/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Submitted {
  std::string policy;
  double validation = 0;
  int episodes = 1;
};

class StudyTest : public testing::Test {
 protected:
  void add(const std::string& agent, const std::string& env, double score, int selected,
           const std::vector<Submitted>& submissions, const std::string& log = "") {
    const fs::path run = folder_ / agent / env / "1";
    Json list = Json::array();
    int used = 0;
    double best = -HUGE_VAL;
    for (std::size_t i = 0; i < submissions.size(); ++i) {
      const fs::path place = run / fmt::format("checkpoints/submit_{:03}", i);
      fs::create_directories(place);
      write_file(place / "policy.py", submissions[i].policy);
      used += submissions[i].episodes;
      best = std::max(best, submissions[i].validation);
      list.push_back({{"submit", i},
                      {"at", "2026-01-01T00:00:00.000Z"},
                      {"episodes", submissions[i].episodes},
                      {"budget_used", used},
                      {"status", "ok"},
                      {"mean_return", 10.0 * static_cast<double>(i)},
                      {"faults", {{"act", i}, {"actions", 99}}},
                      {"validation_mean", submissions[i].validation},
                      {"best_so_far", best}});
    }
    write_file(run / "run.json", dump_json({{"env", env},
                                            {"score", score},
                                            {"status", "ok"},
                                            {"cases", "drawn"},
                                            {"selected_submit", selected},
                                            {"settings", {{"budget", 20}}},
                                            {"submissions", list}}));
    if (log.empty()) return;
    fs::create_directories(run / "logs");
    write_file(run / "logs/agent.jsonl", log);
  }

  Json study() {
    const auto table = collect_results(folder_.path());
    EXPECT_TRUE(table) << table.error().message;
    auto found = study_runs(folder_.path(), *table, sandbox::shared_sandbox());
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(Json());
  }

  TestFolder folder_;
};

std::string returns(const std::string& value) {
  return "class Policy:\n    def act(self, obs):\n        return " + value + "\n";
}

TEST_F(StudyTest, CountsAsAHandDoes) {
  // MiniGrid is of the tasks where structure decides, Acrobot of the others.
  add("ann", "MiniGrid-FourRooms-v0", 0.5, 2,
      {{returns("1"), 0.1, 4},
       {returns("2"), 0.2},                                             // parametric, a hit
       {returns("[x for x in obs if x][0] + (1 if obs else 0)"), 0.5},  // synthesis, a hit
       {returns("obs[0]"), 0.4},                                        // synthesis, none
       {returns("3"), 0.45}},  // rollback; above the one before
      "{\"usage\": {\"input_tokens\": 100, \"cached_tokens\": 70, \"output_tokens\": 7}}\n");
  add("ann", "Acrobot-v1", -90, 0, {{returns("1"), -100}, {returns("2"), -95}});
  add("random", "MiniGrid-FourRooms-v0", 0.1, 0, {{returns("0"), 0.1}});
  add("random", "Acrobot-v1", -500, 0, {{returns("0"), -500}});
  add("zoe", "MiniGrid-FourRooms-v0", 0.2, 0, {{returns("0"), 0.1}, {returns("0"), 0.1}});
  add("zoe", "Acrobot-v1", -600, 0, {{returns("0"), -500}});
  const Json found = study();
  EXPECT_EQ(found["means"]["ann"]["Acrobot-v1"], -90);
  EXPECT_EQ(found["random_to_best"]["ann"]["Acrobot-v1"], 1.0);
  EXPECT_EQ(found["random_to_best"]["zoe"]["Acrobot-v1"], 0.0);  // clipped
  EXPECT_NEAR(found["random_to_best"]["zoe"]["MiniGrid-FourRooms-v0"].get<double>(), 0.25, 1e-12);
  EXPECT_NEAR(found["groups"]["zoe"]["synthesis"].get<double>(), 0.25, 1e-12);
  const Json& edits = found["edits"]["ann"];
  EXPECT_EQ(edits["synthesis"]["synthesis"]["edits"], 2);
  EXPECT_EQ(edits["synthesis"]["synthesis"]["hits"], 1);
  EXPECT_EQ(edits["synthesis"]["parametric"]["hit_rate"], 1.0);
  EXPECT_EQ(edits["tuning"]["parametric"]["edits"], 1);
  EXPECT_TRUE(edits["tuning"]["synthesis"]["hit_rate"].is_null());
  EXPECT_EQ(found["structure"]["ann"]["synthesis"]["loops"], 1);
  EXPECT_EQ(found["structure"]["ann"]["synthesis"]["branches"], 1);
  EXPECT_EQ(found["structure"]["ann"]["tuning"]["loops"], 0);
  EXPECT_EQ(found["structure"]["ann"]["tuning"]["lines"], 3);
  EXPECT_EQ(found["tokens"]["ann"]["MiniGrid-FourRooms-v0"],
            Json::parse(R"({"input": 30, "cache": 70, "output": 7})"));
  EXPECT_TRUE(found["tokens"]["ann"]["Acrobot-v1"].is_null());
  // Sizes: five edits of one line for another (2 lines), one without any.
  std::map<int, std::pair<int, int>> bins;
  for (const Json& bin : found["edit_sizes"]) {
    bins[bin["least"].get<int>()] = {bin["transitions"].get<int>(), bin["improved"].get<int>()};
  }
  EXPECT_EQ(bins[0], std::pair(1, 0));
  EXPECT_EQ(bins[1], std::pair(5, 4));  // 0.5 to 0.4 did not improve
  EXPECT_EQ(bins[3], std::pair(0, 0));
  const auto page = write_study(found, folder_ / "page");
  ASSERT_TRUE(page) << page.error().message;
  const std::string text = read_file(*page);
  for (const char* part :
       {"table 1", "table 3", "table 4", "table 8", "table 9", "figure 3", "figure 4",
        "figures 5 and 6", "figure 7", "figure 8", "30 / 70 / 7", "act 2", "★ new best"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  // Figure 7 by hand: what was seen before, the edit, what came of it.
  for (const char* row :
       {"<tr><td>0</td><td>0</td><td>–</td><td></td><td>first</td><td>+3 −0</td><td>0.1</td>"
        "<td>★ new best</td></tr>",
        "<tr><td>2</td><td>5</td><td>10</td><td>act 1</td><td>synthesis</td><td>+1 −1</td>"
        "<td>0.5</td><td>★ new best</td></tr>",
        "<tr><td>3</td><td>6</td><td>20</td><td>act 2</td><td>synthesis</td><td>+1 −1</td>"
        "<td>0.4</td><td>no better</td></tr>"}) {
    EXPECT_THAT(text, HasSubstr(row));
  }
  EXPECT_EQ(*parse_json(read_file(folder_ / "page/study.json")), found);
}

// Table 8's values follow from table 1, and figure 4 prints their means.
TEST_F(StudyTest, PrintsThePapersFigureFromItsTable) {
  const auto table =
      read_results(source_dir() / "redqueen/arena/testdata/core16-paper.json").value();
  const auto found = study_runs(folder_.path(), table, sandbox::shared_sandbox()).value();
  const auto group = [&](const char* agent, const char* name) {
    return fmt::format("{:.2f}", found["groups"][agent][name].get<double>());
  };
  EXPECT_EQ(group("GPT-5.5", "synthesis"), "0.98");
  EXPECT_EQ(group("Claude Opus 4.7", "synthesis"), "1.00");
  EXPECT_EQ(group("MiniMax-M3", "synthesis"), "0.19");
  EXPECT_EQ(group("DeepSeek-V4-Pro", "synthesis"), "0.03");
  EXPECT_EQ(group("Baseline", "tuning"), "0.00");
}

TEST_F(StudyTest, HostileNamesStayText) {
  add("<script>", "CartPole-v1", 1, 0, {{returns("0"), 1}});
  add("b", "CartPole-v1", 2, 0, {{returns("0"), 1}});
  const auto page = write_study(study(), folder_ / "page").value();
  EXPECT_THAT(read_file(page), testing::Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace redqueen::arena
