#include "redqueen/arena/judge/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "redqueen/arena/judge/run_report.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DiagnosticsTest : public testing::Test {
 protected:
  // A submission with these files and this validation mean; NaN: it was not sound.
  void add(const std::map<std::string, std::string>& files, double mean) {
    const int submit = static_cast<int>(record_["submissions"].size());
    const fs::path folder = folder_ / fmt::format("checkpoints/submit_{:03}", submit);
    for (const auto& [name, text] : files) {
      fs::create_directories((folder / name).parent_path());
      write_file(folder / name, text);
    }
    Json entry = {{"submit", submit},      {"at", "2026-01-01T00:00:00.000Z"},
                  {"episodes", 2},         {"budget_used", 2 * (submit + 1)},
                  {"mean_return", mean},   {"status", std::isnan(mean) ? "import_error" : "ok"},
                  {"best_so_far", nullptr}};
    if (!std::isnan(mean)) {
      entry["validation_mean"] = mean;
      best_ = std::max(best_, mean);
      entry["best_so_far"] = best_;
    }
    record_["submissions"].push_back(entry);
  }
  Json diagnose() {
    write_file(folder_ / "run.json", dump_json(record_));
    auto diagnosis = diagnose_run(folder_.path(), sandbox::shared_sandbox());
    EXPECT_TRUE(diagnosis.has_value()) << diagnosis.error().message;
    return diagnosis.value_or(Json());
  }
  static std::string policy(const std::string& body) {
    return "class Policy:\n    def act(self, obs):\n        " + body + "\n";
  }

  TestFolder folder_;
  double best_ = -HUGE_VAL;
  Json record_ = {{"env", "CartPole-v1"},
                  {"status", "ok"},
                  {"score", 3.0},
                  {"cases", "drawn"},
                  {"selected_submit", 3},
                  {"settings", {{"budget", 20}}},
                  {"submissions", Json::array()}};
};

TEST_F(DiagnosticsTest, TellsKindsOfEditsByTheirSyntaxTrees) {
  add({{"policy.py", policy("return 1 if obs[0] > 0.5 else 0")}}, 1);
  add({{"policy.py", policy("return 1 if obs[0] > -0.25 else 0  # other numbers")}}, 2);
  add({{"policy.py", "def broken("}}, NAN);  // left out
  add({{"policy.py", policy("self.t = 1\n        return [x for x in obs][0] > 0")}}, 3);
  add({{"policy.py", policy("return 1 if obs[0] > 7 else 0")}}, 2);    // as before
  add({{"policy.py", policy("return 1 if obs[0] > 7 else 0")}}, 2.5);  // the same
  add({{"policy.py", policy("return 1 if obs[0] < 7 else 0")}}, 3);    // no better than the best
  const Json found = diagnose();
  std::vector<std::string> kinds;
  std::vector<bool> hits;
  for (const Json& edit : found["edits"]) {
    kinds.push_back(edit["kind"]);
    hits.push_back(edit["hit"]);
  }
  EXPECT_THAT(kinds, testing::ElementsAre("first", "parametric", "synthesis", "rollback", "retest",
                                          "synthesis"));
  EXPECT_THAT(hits, testing::ElementsAre(true, true, true, false, false, false));
  EXPECT_EQ(found["synthesis"]["edits"], 2);
  EXPECT_EQ(found["synthesis"]["hit_rate"], 0.5);
  EXPECT_EQ(found["parametric"]["hits"], 1);
  EXPECT_EQ(found["rollbacks"], 1);
  EXPECT_EQ(found["retests"], 1);
  EXPECT_EQ(found["edits"][1]["gain"], 1.0);
  EXPECT_EQ(found["edits"][1]["added"], 1);
  EXPECT_EQ(found["edits"][1]["removed"], 1);
  EXPECT_EQ(found["selected"]["loops"], 1);
  EXPECT_EQ(found["selected"]["state"], 1);
  EXPECT_EQ(found["selected"]["functions"], 1);
  EXPECT_THAT(diagnosis_text(found), HasSubstr("synthesis: 2 edits, 1 hits"));
}

TEST_F(DiagnosticsTest, OnlyModulesThatImportsReachBelongToTheBundle) {
  const std::string text = "import rule\nfrom parts import deep\n" + policy("return rule.g");
  add({{"policy.py", text}, {"rule.py", "g = 1\n"}, {"parts/deep.py", ""}, {"notes.py", "a"}}, 1);
  add({{"policy.py", text}, {"rule.py", "g = 1\n"}, {"parts/deep.py", ""}, {"notes.py", "("}}, 1);
  add({{"policy.py", text}, {"rule.py", "g = 2\n"}, {"parts/deep.py", ""}}, 1);
  add({{"policy.py", text}, {"rule.py", "h = 2\n"}, {"parts/deep.py", ""}}, 1);
  add({{"policy.py", text}, {"rule.py", "h = 2\n"}, {"parts/deep.py", "for i in []: pass"}}, 1);
  const Json found = diagnose();
  std::vector<std::string> kinds;
  for (const Json& edit : found["edits"]) kinds.push_back(edit["kind"]);
  EXPECT_THAT(kinds,
              testing::ElementsAre("first", "retest", "parametric", "synthesis", "synthesis"));
}

TEST_F(DiagnosticsTest, HostileSourcesAreReadAndNeverRun) {
  add({{"policy.py", "import os\nos._exit(3)\nprint('noise')\n"}}, 1);
  add({{"policy.py", std::string(3000, '(') + std::string(3000, ')')}}, 1);
  add({{"policy.py", "x = " + std::string(20'000, '-') + "1\n"}}, 1);
  add({{"policy.py", std::string("x = 1\0", 6)}}, 1);
  add({}, 1);
  EXPECT_EQ(diagnose()["edits"].size(), 5U);
}

TEST_F(DiagnosticsTest, SumsTokensThatTheLogTells) {
  add({{"policy.py", policy("return 0")}}, 1);
  EXPECT_TRUE(diagnose()["tokens"].is_null());
  fs::create_directories(folder_ / "logs");
  write_file(folder_ / "logs/agent.jsonl",
             "{\"usage\": {\"prompt_tokens\": 10, \"completion_tokens\": 2}}\nnonsense\n[1]\n"
             "{\"data\": {\"usage\": {\"input_tokens\": 5, \"cached_tokens\": 4, "
             "\"output_tokens\": 1}}}\n"
             "{\"usage\": {\"prompt_tokens\": \"many\"}}\n");
  EXPECT_EQ(diagnose()["tokens"], Json::parse(R"({"read": 15, "cached": 4, "written": 3})"));
}

TEST_F(DiagnosticsTest, ThePageHasEditsAndEpisodes) {
  add({{"policy.py", policy("return 0")}}, 1);
  add({{"policy.py", policy("return 1")}}, 2);
  record_["selected_submit"] = 1;
  const fs::path episode = folder_ / "workspace/feedback/submit_001/episodes/ep_000";
  fs::create_directories(episode);
  write_file(episode / "trajectory.jsonl",
             "{\"t\": 0, \"obs\": [0.5, \"NaN\"], \"reward\": 1}\nbroken\n"
             "{\"t\": 1, \"obs\": [0.25, 2], \"reward\": \"Inf\"}\n");
  const Json diagnosis = diagnose();
  const auto page = write_run_report(folder_.path(), folder_ / "page", diagnosis);
  ASSERT_TRUE(page.has_value()) << page.error().message;
  const std::string text = read_file(*page);
  EXPECT_THAT(text, HasSubstr("submission 1: parametric"));
  EXPECT_THAT(text, HasSubstr("ep_000"));
  EXPECT_THAT(text, HasSubstr("observation 1"));
}

TEST_F(DiagnosticsTest, WhatIsNoRunIsSaid) {
  EXPECT_EQ(diagnose_run(folder_ / "none", sandbox::shared_sandbox()).error().kind,
            ErrorKind::kUsage);
  write_file(folder_ / "run.json", "{\"submissions\": 3}");
  EXPECT_FALSE(diagnose_run(folder_.path(), sandbox::shared_sandbox()).has_value());
}

}  // namespace
}  // namespace redqueen::arena
