// Every sub-command of `redqueen arena` with what it cannot work with: a sentence, an exit code,
// and the disk as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "redqueen/base/json.h"
#include "redqueen/cli/testing/fixture.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Refusal {
  std::string words;
  int code;
  std::string message;
};

class ArenaRefusals : public CliFixture {
 protected:
  void SetUp() override {
    write_file(folder_ / "file", "text\n");
    for (const char* folder : {"empty", "damaged/judge", "list/judge", "strange/judge",
                               "cases/CartPole-v1", "twice/CartPole-v1"})
      fs::create_directories(folder_ / folder);
    write_file(folder_ / "damaged/run.json", "{\"env\": \n");
    write_file(folder_ / "damaged/judge/ledger.jsonl", "{\"event\": \n");
    write_file(folder_ / "list/run.json", "[1, 2]\n");
    write_file(folder_ / "list/judge/ledger.jsonl", "[1, 2]\n");
    write_file(folder_ / "strange/run.json", "{\"env\": 3, \"score\": \"high\"}\n");
    write_file(folder_ / "strange/judge/ledger.jsonl",
               "{\"event\": \"begin\", \"settings\": {\"env\": 3}}\n");
    for (const char* kind : {"damaged", "list", "strange"}) {
      fs::create_directories(folder_ / "many" / kind / "a/CartPole-v1");
      fs::copy(folder_ / kind, folder_ / "many" / kind / "a/CartPole-v1/1",
               fs::copy_options::recursive);
    }
    write_file(folder_ / "cases/CartPole-v1/train.json", "[{\"seed\": 1}]\n");
    write_file(folder_ / "cases/CartPole-v1/validation.json", "[{\"seed\": 2}\n");
    write_file(folder_ / "cases/CartPole-v1/heldout.json", "[{\"seed\": 3}]\n");
    write_file(folder_ / "twice/CartPole-v1/train.json", "[{\"seed\": 1}]\n");
    write_file(folder_ / "twice/CartPole-v1/validation.json", "[{\"seed\": 2}]\n");
    write_file(folder_ / "twice/CartPole-v1/heldout.json", "[{\"seed\": 1}]\n");
  }

  // Paths and contents of all that lies in the folder but what the commands print.
  std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      const std::string name = fs::relative(entry.path(), folder_.path()).string();
      if (name == "out" || name == "err") continue;
      files[name] = entry.is_regular_file() ? read_file(entry.path()) : "";
    }
    return files;
  }

  void expect_refused(const std::vector<Refusal>& refusals) {
    const auto before = tree();
    for (const Refusal& each : refusals) {
      const Outcome outcome = run(each.words);
      EXPECT_EQ(outcome.code, each.code) << each.words << "\n" << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr("redqueen: ")) << each.words;
      EXPECT_THAT(outcome.err, HasSubstr(each.message)) << each.words;
      for (const char* raw : {"terminate", "json.exception", "what():", "std::"}) {
        EXPECT_THAT(outcome.err, Not(HasSubstr(raw))) << each.words;
      }
      EXPECT_EQ(tree(), before) << each.words;
    }
  }
};

TEST_F(ArenaRefusals, ARunThatCannotBeginLeavesNoFolder) {
  const std::string begin =
      "arena run --env CartPole-v1 --budget 2 --validation 1 --heldout 1 --workers 1 --run ";
  expect_refused({
      {begin + at("file"), 2, "file"},
      {begin + at("file/deep"), 2, "file"},
      {"arena run --env CartPol-v1 --run " + at("new"), 2, "did you mean CartPole-v1?"},
      {"arena run --env \"\" --run " + at("new"), 2, "environment"},
      {begin + at("new") + " --cases " + at("nowhere"), 2, "train.json"},
      {begin + at("new") + " --cases " + at("file"), 2, "train.json"},
      {begin + at("new") + " --cases " + at("empty"), 2, "train.json"},
      {begin + at("new") + " --cases " + at("cases"), 2, "validation.json"},
      {begin + at("new") + " --cases " + at("twice"), 2, "comes twice"},
      {"arena run --env Acrobot-v1 --budget 2 --workers 1 --run " + at("new/deep/er") +
           " --cases " + at("twice"),
       2, "Acrobot-v1/train.json"},
      {"arena run --env CartPole-v1 --budget 2 --workers 1 --paper-cases --heldout 257 --run " +
           at("new"),
       2, "256 held out"},
      {begin + at("damaged"), 1, "line 1 is damaged"},
      {begin + at("list"), 1, "line 1 is damaged"},
      {begin + at("strange"), 1, "strange: the settings of the run are damaged"},
  });
}

TEST_F(ArenaRefusals, EnvironmentsThatAreNoneHaveNoCasesAndNoSuite) {
  const std::string end = " --budget 2 --workers 1 --out " + at("new");
  expect_refused({
      {"arena cases make " + at("new") + " --env CartPol-v1", 2, "did you mean CartPole-v1?"},
      {"arena cases make " + at("new") + " --env CartPole-v1,", 2, "is no environment"},
      {"arena cases make " + at("new") + " --env CartPole-v1,Tetris-v9", 2,
       "no environment \"Tetris-v9\""},
      {"arena cases make " + at("new") + " --env python:", 2, "python:"},
      {"arena cases make " + at("file") + " --env CartPole-v1", 2, "file"},
      {"arena cases make " + at("twice") + " --env CartPole-v1", 2, "lie there already"},
      {"arena suite CartPol-v1" + end, 2, "did you mean CartPole-v1?"},
      {"arena suite core17" + end, 2, "no environment \"core17\""},
      {"arena random --env CartPol-v1" + end, 2, "did you mean CartPole-v1?"},
      {"arena suite CartPole-v1 --budget 2 --workers 1 --out " + at("file"), 1, "file"},
      {"arena random --env CartPole-v1 --workers 1 --cases " + at("cases") + " --out " + at("new"),
       1, "validation.json"},
  });
}

TEST_F(ArenaRefusals, WhatIsNoRunIsNeitherClosedNorReadNorCompared) {
  std::vector<Refusal> refusals;
  for (const std::string command : {"close", "report", "diagnose"}) {
    for (const auto& [place, code] :
         std::map<std::string, int>{{"nowhere", 2}, {"file", 2}, {"empty", 2}}) {
      refusals.push_back({"arena " + command + " " + at(place), code, at(place)});
    }
    for (const char* place : {"damaged", "list", "strange"}) {
      refusals.push_back(
          {"arena " + command + " " + at(place), 1, command == "close" ? "" : at(place)});
    }
  }
  for (const std::string command : {"study", "leaderboard"}) {
    for (const char* place : {"nowhere", "empty"}) {
      refusals.push_back({"arena " + command + " " + at(place), 2, at(place)});
    }
    refusals.push_back({"arena " + command + " " + at("file"), command == "study" ? 2 : 1, "file"});
    for (const char* place : {"many/damaged", "many/list", "many/strange"}) {
      refusals.push_back({"arena " + command + " " + at(place), 1, "this is no record of a run"});
    }
  }
  refusals.push_back({"arena report " + at("list") + " --out " + at("file"), 1, ""});
  refusals.push_back({"arena check Tetris-v9", 2, "Tetris-v9"});
  refusals.push_back({"arena setup --check --to " + at("file"), 2, "is no folder"});
  expect_refused(refusals);
}

// A ledger and a record as an earlier version wrote them: it goes on, and is read.
TEST_F(ArenaRefusals, RunsOfEarlierVersionsGoOnAndAreRead) {
  const std::string begin =
      "arena run --env CartPole-v1 --budget 4 --episodes 2 --validation 2 --heldout 2 --seed 3 "
      "--workers 1 --run " +
      at("run");
  ASSERT_EQ(run(begin).code, 0);
  const std::string ledger = read(at("run/judge/ledger.jsonl"));
  std::string older;
  int charges = 0;
  for (std::size_t at = 0, end = 0; at < ledger.size(); at = end + 1) {
    end = ledger.find('\n', at);
    Json line = *parse_json(ledger.substr(at, end - at));
    if (line["event"] == "charge" && ++charges == 2) break;  // killed there
    if (line.contains("settings")) {
      for (const char* key : {"one_hidden_instance", "given_cases", "require_budget"}) {
        line["settings"].erase(key);
      }
    }
    line.erase("faults");
    older += dump_json(line) + "\n";
  }
  fs::remove(at("run/run.json"));
  write_file(folder_ / "run/judge/ledger.jsonl", older);
  const Outcome done = run(begin);
  ASSERT_EQ(done.code, 0) << done.err;
  Json record = *parse_json(read(at("run/run.json")));
  EXPECT_EQ(record["settings"]["one_hidden_instance"], true);  // as it began
  EXPECT_EQ(record["submissions"].size(), 2U);
  for (const char* key : {"faults", "audit", "isolated", "commitment"}) record.erase(key);
  write_file(folder_ / "run/run.json", record.dump());
  const Outcome page = run("arena report " + at("run"));
  EXPECT_EQ(page.code, 0) << page.err;
  // Other terms, other cases, cases that were changed.
  expect_refused({
      {"arena run --env Acrobot-v1 --budget 4 --workers 1 --run " + at("run"), 2,
       "of CartPole-v1 with a budget of 4"},
      {"arena run --env CartPole-v1 --budget 5 --workers 1 --run " + at("run"), 2,
       "not of CartPole-v1 with 5"},
  });
  ASSERT_EQ(run("arena cases make " + at("mine") +
                " --env CartPole-v1 --train 4 --validation 2 --heldout 2")
                .code,
            0);
  const std::string given =
      "arena run --env CartPole-v1 --budget 4 --workers 1 --agent none --run ";
  expect_refused({{given + at("run") + " --cases " + at("mine"), 2, "other cases"}});
}

}  // namespace
}  // namespace redqueen
