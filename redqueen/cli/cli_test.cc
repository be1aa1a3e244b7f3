// The binary as a user meets it: exit codes, messages, JSON lines, and a whole run that is killed
// and goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/run_directory.h"
#include "redqueen/run/sqlite.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "redqueen_cli_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Runs the binary with words of a shell; `input` is its standard input.
  Outcome run(const std::string& words, const std::string& input = "") const {
    std::ofstream(folder_ / "in", std::ios::binary) << input;
    const std::string command =
        fmt::format("{} {} <{} >{} 2>{}", redqueen_binary(), words, (folder_ / "in").string(),
                    (folder_ / "out").string(), (folder_ / "err").string());
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder_ / "out"),
            read_file(folder_ / "err")};
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    auto json = parse_json(line);
    EXPECT_TRUE(json.has_value()) << line;
    if (json) lines.push_back(*json);
  }
  return lines;
}

TEST_F(Cli, SaysWhatIsWrongWithACommandLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "subcommand is required"},
      {"nonsense", "nonsense"},
      {"gym sample", "environment is required"},
      {"gym sample Sortin", "did you mean Sorting?"},
      {"gym sample Sortin:published", "did you mean Sorting:published?"},
      {"gym sample Sorting --level -3", "--level"},
      {"gym generate Sorting --prompt 'no place'", "{problem}"},
      {"train --set train.learning_rat=1", "did you mean train.learning_rate?"},
      {"train --set train.learning_rate=fast", "learning_rate"},
      {"train --set curriculum.suite=c5 --policy /nowhere", "did you mean"},
      {"train", "no policy"},
      {"train --resume /nowhere", "no such run"},
      {"train --resume /nowhere --policy other", "leave out --policy"},
      {"eval --policy /nowhere --suite c1 --levels 4..1", "expected 0..4"},
      {"gym sample Sorting --level two", "--level: two is not a number"},
      {"gym sample Sorting --level 2.5", "--level: 2.5 is not a whole number"},
      {"gym sample Sorting --level 99999999999", "--level: 99999999999 is too large"},
      {"bench gym Sorting --levels 0,x", "--levels: x is not a number"},
      {"bench gym Sorting --levels -99999999999", "--levels: -99999999999 is too small"},
      {"eval --policy /nowhere --temperature warm", "warm is not a number"},
      {"gym sample Sorting --count 0", "0 is not a number above 0"},
      {"gym sample Sorting --seed -1", "-1 is not a number from 0 on"},
      {"gym sample Sorting --seed 18446744073709551616", "18446744073709551616 is too large"},
      {"gym sample Sorting --seed 99999999999999999999", "99999999999999999999 is too large"},
      {"doctor --plan quickstart --host-memory -3", "-3 is not a number above 0"},
      {"gym generate Sorting --split test --salt 3", "--split test has salt 0"},
      {"gym generate Sorting --salt 0", "salt 0 is the test split"},
      {"compare --policy /nowhere --out /nowhere --static 5", "--static 5: expected LOW..HIGH"},
      {"compare --policy /nowhere --out /nowhere --static 5..1", "expected LOW..HIGH"},
      {"compare --policy /nowhere --out /nowhere --static a..b", "expected LOW..HIGH"},
      {"compare --out /nowhere --vary run.steps", "--vary run.steps: expected KEY=VALUE"},
      {"compare --out /nowhere --vary run.step=1,2", "did you mean run.steps?"},
      {"compare --out /nowhere --vary run.steps=1,2 --static 0..1", "--static"},
      {"compare --out /nowhere --experiment nothing", "no experiment \"nothing\""},
      {"eval --run /nowhere", "no run here"},
      {"report /nowhere", "/nowhere: this is no run"},
      {"--configs /nowhere gym list", "--configs /nowhere: there is no such folder"},
      {"azr tasks /nowhere", "/nowhere: this is no run"},
      {"gym sample Sorting --levle 2", "there is no option --levle (did you mean --level?)"},
      {"gym sample Sorting --levle 2", "See `redqueen gym sample --help`"},
      {"train --config quickstrt", "did you mean quickstart?"},
      {"gym sample Sort", "did you mean Sorting?"},
      {"gym list --family x", "there are algebra"},
      {"synth lint .", "this is a folder"},
      {"config show nothing", "there is no configuration \"nothing\"; there are azr-7b"},
      {"help nothing", "no command"}};
  for (const auto& [words, message] : cases) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << words;
    EXPECT_EQ(outcome.out, "") << words;
  }
}

TEST_F(Cli, FailsWithASentenceWhenFilesAreMissing) {
  for (const char* words :
       {"report /nowhere", "eval --policy /nowhere --suite c1",
        "train --policy /nowhere --set curriculum.suite=c1", "train --config /nowhere.toml"}) {
    const Outcome outcome = run(words);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_THAT(outcome.err, HasSubstr("nowhere")) << words;
  }
}

TEST_F(Cli, ExplainsEveryCommand) {
  const Outcome all = run("help");
  EXPECT_EQ(all.code, 0);
  for (const char* command : {"train", "eval", "gym", "generate", "score", "policy", "warmstart",
                              "report", "compare", "bench", "doctor"}) {
    EXPECT_THAT(all.out, HasSubstr(command));
    EXPECT_EQ(
        run(fmt::format("{} --help",
                        command == std::string("generate") || command == std::string("score")
                            ? fmt::format("gym {}", command)
                        : command == std::string("warmstart") ? std::string("policy warmstart")
                                                              : std::string(command)))
            .code,
        0);
  }
  EXPECT_THAT(run("help gym score").out, HasSubstr("--raw"));
}

// What a number or a choice is where nobody names it.
// OpenMP prints what it was told when it is loaded.
TEST_F(Cli, ThreadsDoNotWaitBySpinningUnlessTheUserSaysSo) {
  const auto told = [&](const std::string& given) {
    const std::string file = path("told");
    const std::string command = fmt::format(
        "env -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY OMP_DISPLAY_ENV=verbose {} {} train --help "
        ">/dev/null 2>{}",
        given, redqueen_binary(), file);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return read_file(file);
  };
  EXPECT_THAT(told(""), HasSubstr("GOMP_SPINCOUNT = '2000'"));
  EXPECT_THAT(told("GOMP_SPINCOUNT=77"), HasSubstr("GOMP_SPINCOUNT = '77'"));
  EXPECT_THAT(told("OMP_WAIT_POLICY=active"), testing::Not(HasSubstr("GOMP_SPINCOUNT = '2000'")));
}

TEST_F(Cli, HelpTellsDefaults) {
  for (const char* command :
       {"train", "eval", "compare", "gym sample", "gym generate", "gym check", "gym score",
        "gym audit", "gym play", "policy sample", "policy adapt", "azr tasks", "genenv tasks",
        "genenv export", "synth lint", "arena suite", "serve"}) {
    std::istringstream help(run(std::string(command) + " --help").out);
    int options = 0;
    std::string option;  // a line, with what goes on in the next
    const auto check = [&] {
      static const std::set<std::string> kNone = {"--turns", "--port", "--workers", "--origin"};
      const std::string name = option.substr(0, option.find(' '));
      const std::string type = option.substr(std::min(option.size(), name.size() + 1), 6);
      const bool has_type = type.starts_with("INT") || type.starts_with("UINT") ||
                            type.starts_with("FLOAT") || type.starts_with("TEXT:{");
      if (!has_type || kNone.contains(name) || option.find("Only ") != std::string::npos) return;
      ++options;
      EXPECT_TRUE(option.find('=') < option.find("  ") ||
                  option.find("default") != std::string::npos)
          << command << ": " << option;
    };
    for (std::string line; std::getline(help, line);) {
      const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
      if (first > 4) {
        option += "  " + line.substr(first);
        continue;
      }
      check();
      option = line.substr(first);
    }
    check();
    EXPECT_GT(options, 0) << command;
  }
}

TEST_F(Cli, ScoresWhatItGenerates) {
  const Outcome generated = run("gym generate Sorting --level 2 --seed 7 --count 3");
  ASSERT_EQ(generated.code, 0) << generated.err;
  std::string responses;
  for (const Json& line : json_lines(generated.out)) {
    EXPECT_EQ(line["level"], 2);
    const std::string reference = line["reference"];
    responses += dump_json(Json{{"environment", line["environment"]},
                                {"parameter", line["parameter"]},
                                {"response", reference}}) +
                 "\n";
    responses += dump_json(Json{{"address", line["address"]}, {"response", "1"}}) + "\n";
  }
  const auto verdicts = json_lines(run("gym score --raw", responses).out);
  ASSERT_EQ(verdicts.size(), 6u);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i]["solved"], i % 2 == 0);
    EXPECT_EQ(verdicts[i]["reward"], i % 2 == 0 ? 1.0 : -0.5);
  }
}

// Evaluation asks the problems of salt 0; what is exported to train on shares none with it.
TEST_F(Cli, GeneratesNoTestProblemsUnasked) {
  std::set<std::string> test;
  for (const Json& line :
       json_lines(run("gym generate Sorting --level 3 --split test --count 50").out)) {
    EXPECT_EQ(line["split"], "test");
    test.insert(line["prompt"]);
  }
  EXPECT_GT(test.size(), 45u);
  const auto train = json_lines(run("gym generate Sorting --level 3 --count 50").out);
  ASSERT_EQ(train.size(), 50u);
  for (const Json& line : train) {
    EXPECT_EQ(line["split"], "train");
    EXPECT_FALSE(test.contains(line["prompt"])) << line["address"];
  }
}

TEST_F(Cli, ListsConfigurationsAndSettings) {
  const Outcome list = run("config list");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("rlve-1.5b"));
  EXPECT_THAT(run("config show").out, HasSubstr("\nlearning_rate = "));
  EXPECT_THAT(run("config show rlve-7b --set run.steps=3").out, HasSubstr("\nsteps = 3\n"));
}

// The page of samples is what the command writes; REDQUEEN_UPDATE_GOLDEN=1 writes it anew. It names
// published environments only, so that a new one leaves it as it is.
TEST_F(Cli, ThePageOfSamplesIsCurrent) {
  const fs::path pages = source_dir() / "docs/gallery";
  if (std::getenv("REDQUEEN_UPDATE_GOLDEN") != nullptr) {
    EXPECT_EQ(run("gym gallery --overview --out " + pages.string()).code, 0);
  }
  const Outcome made = run("gym gallery --overview --out " + path("gallery"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(read_file(pages / "README.md"), read_file(folder_ / "gallery" / "README.md"))
      << "docs/gallery/README.md is not current: REDQUEEN_UPDATE_GOLDEN=1 build/cli_test "
      << "--gtest_filter='*ThePageOfSamplesIsCurrent'";
}

TEST_F(Cli, MakesAGalleryOfEveryEnvironment) {
  const Outcome made = run("gym gallery --out " + path("gallery"));
  ASSERT_EQ(made.code, 0) << made.err;
  std::map<std::string, std::string> pages;  // by family
  for (const Json& line : json_lines(run("gym list --json").out)) {
    const std::string family = line["family"].get<std::string>();
    if (family == "code") continue;
    if (!pages.contains(family)) pages[family] = read_file(folder_ / "gallery" / (family + ".md"));
    const std::string name = line["name"].get<std::string>();
    const std::size_t begin = pages[family].find("\n## " + name + "\n");
    ASSERT_NE(begin, std::string::npos) << name << " is not on the page of " << family;
    const std::string section =
        pages[family].substr(begin, pages[family].find("\n## ", begin + 1) - begin);
    EXPECT_THAT(section, HasSubstr("- *Rewards*: "));
    EXPECT_THAT(section, HasSubstr("Level 0 (`" + name + "@"));
    EXPECT_THAT(section, HasSubstr("guess"));
    EXPECT_THAT(read_file(folder_ / "gallery" / "README.md"), HasSubstr("[" + name + "]("));
  }
  EXPECT_GT(pages.size(), 10u);
}

TEST_F(Cli, MakesAPageForBrowsersOfTheEnvironmentsThatAreNamed) {
  ASSERT_EQ(run("gym gallery --page --out " + path("browser") + " Sorting household").code, 0);
  const std::string page = read_file(folder_ / "browser" / "index.html");
  EXPECT_THAT(page, HasSubstr("<details id=\"Sorting\">"));
  EXPECT_THAT(page, HasSubstr("<details id=\"household\">"));
  EXPECT_THAT(page, testing::Not(HasSubstr("<details id=\"CRT\">")));
  EXPECT_THAT(page, testing::Not(HasSubstr("<script")));
  // Writing the page anew replaces the file, so a reader who has it open keeps the old contents.
  fs::create_hard_link(folder_ / "browser" / "index.html", folder_ / "opened");
  ASSERT_EQ(run("gym gallery --page --out " + path("browser") + " Sorting").code, 0);
  EXPECT_NE(read_file(folder_ / "browser" / "index.html"), page);
  EXPECT_EQ(read_file(folder_ / "opened"), page);
  EXPECT_EQ(run("gym gallery --page --overview --out " + path("both")).code, 2);
  EXPECT_EQ(run("gym gallery --out " + path("none") + " Sortin").code, 2);
}

// The numbers of docs/audit.md take long; its form is that of the command.
TEST_F(Cli, MakesThePageOfTheAudit) {
  const Outcome made =
      run("gym audit Sorting BucketSorting Bridge --markdown --problems 60 --levels 0,2,5");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("\n| family | environments | level 0 | level 2 | level 5 |\n"));
  EXPECT_THAT(made.out, HasSubstr("\n| sequences | 2 | "));
  EXPECT_THAT(made.out,
              HasSubstr("\n| BucketSorting (any up to level 7, 20 % beyond) | random | "));
  EXPECT_THAT(made.out, testing::Not(HasSubstr("\n| Sorting (")));
  EXPECT_THAT(made.out, testing::Not(HasSubstr("µs")));
  EXPECT_THAT(made.out, HasSubstr("\n3 environments, 0 objections\n"));
  const std::string page = read_file(source_dir() / "docs/audit.md");
  const std::string head = "# Audit of the environments\n";
  EXPECT_EQ(page.substr(0, head.size()), head);
  EXPECT_EQ(made.out.substr(0, head.size()), head);
}

// Quoted names of a suite's file.
std::set<std::string> names_in(const std::string& toml) {
  std::set<std::string> names;
  for (std::size_t at = toml.find('"'); at != std::string::npos; at = toml.find('"', at)) {
    const std::size_t end = toml.find('"', at + 1);
    if (end == std::string::npos) break;
    names.insert(toml.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return names;
}

// No published suite lists what this build lacks.
TEST_F(Cli, SuitesAreWhole) {
  std::set<std::string> published;
  for (const Json& line : json_lines(run("gym list --json").out))
    if (line["published"] == true) published.insert(line["name"]);
  EXPECT_EQ(published.size(), 400u);
  for (const char* suite : {"c1", "c4", "c16", "c256", "held-out"}) {
    const auto names =
        names_in(read_file(source_dir() / "configs/suites" / (std::string(suite) + ".toml")));
    EXPECT_FALSE(names.empty()) << suite;
    for (const std::string& name : names)
      EXPECT_TRUE(published.contains(name)) << suite << " " << name;
  }
}

TEST_F(Cli, EveryExperimentCanBeRun) {
  int experiments = 0;
  for (const auto& file : fs::directory_iterator(source_dir() / "configs/experiments")) {
    const std::string name = file.path().stem().string();
    const Outcome plan =
        run(fmt::format("compare --experiment {} --out {} --plan", name, path("x")));
    EXPECT_EQ(plan.code, 0) << name << ": " << plan.err;
    EXPECT_GE(std::ranges::count(plan.out, '\n'), 6) << name << ": settings, each with three seeds";
    ++experiments;
  }
  EXPECT_GE(experiments, 6);
  EXPECT_FALSE(fs::exists(path("x")));
}

// The page is what the command prints; REDQUEEN_UPDATE_GOLDEN=1 writes it anew.
TEST_F(Cli, ThePageOfSettingsIsCurrent) {
  const fs::path page = source_dir() / "docs/settings.md";
  const std::string text =
      "# Settings\n\nEvery setting with its meaning, bounds and default, as `redqueen config show` "
      "prints it. A configuration\nfile holds those that differ; `--set run.steps=200` stands "
      "before "
      "the file.\n\n```toml\n" +
      run("config show").out + "```\n";
  if (std::getenv("REDQUEEN_UPDATE_GOLDEN") != nullptr) std::ofstream(page) << text;
  EXPECT_EQ(read_file(page), text);
}

// What `:solution` prints, played line by line, solves a world; so does the reference of a problem
// that asks once.
TEST_F(Cli, LetsAPersonPlay) {
  const Json row = json_lines(run("gym generate Sorting --seed 3 --split test").out).at(0);
  const Outcome sorted =
      run("gym play Sorting --seed 3", row["reference"].get<std::string>() + "\n");
  EXPECT_EQ(sorted.code, 0) << sorted.err;
  EXPECT_THAT(sorted.out, HasSubstr("---- solved, reward 1"));

  const Outcome shown = run("gym play household --level 2 --seed 1", ":solution\n");
  EXPECT_THAT(shown.out, HasSubstr("---- household@1/2/1"));
  EXPECT_THAT(shown.out, HasSubstr("---- no answer of the asked form")) << "nothing was done";
  std::string lines;
  std::istringstream out(shown.out);
  for (std::string line; std::getline(out, line);) {
    if (line.starts_with("  :tool ")) lines += line.substr(2) + "\n";
  }
  const Outcome played = run("gym play household --level 2 --seed 1", "look\n" + lines);
  EXPECT_THAT(played.out, HasSubstr("You are in the "));
  EXPECT_THAT(played.out, HasSubstr("---- solved, reward 1"));
}

TEST_F(Cli, TellsAPlayerWhatCannotBeTyped) {
  const Outcome outcome = run("gym play household",
                              ":help\n:tools\n:state\n:nonsense\n:tool {\n:tool {\"arguments\":1}\n"
                              "fly\\\nhigh\n:quit\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* reply :
       {"calls a tool", "take(object, place?)", "\"holding\":-1", "there is no \":nonsense\"",
        "expected :tool {", "this names no tool", "> fly", "\"high\" is no command",
        "---- no answer of the asked form, reward -1"}) {
    EXPECT_THAT(outcome.out, HasSubstr(reply));
  }
  EXPECT_THAT(run("gym play household --level 31").err, HasSubstr("level 31 is not in 0..30"));
  EXPECT_EQ(run("gym play housold").code, 2);
}

TEST_F(Cli, FailsWhenOutputCannotBeWritten) {
  for (const char* words : {"gym generate Sorting --count 3", "gym sample Sorting", "gym list"}) {
    const std::string command =
        fmt::format("{} {} >/dev/full 2>{}", redqueen_binary(), words, (folder_ / "err").string());
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << words;
    EXPECT_THAT(read_file(folder_ / "err"), testing::Not(HasSubstr("fault of redqueen"))) << words;
    EXPECT_THAT(read_file(folder_ / "err"), HasSubstr("rit")) << words;  // written, write
  }
}

TEST_F(Cli, FindsNoEnvironmentOfThisBuildFaulty) {
  const Outcome outcome = run("gym check --problems 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Cli, AnswersEveryLineInOrder) {
  const std::string good =
      R"({"environment":"Sorting","parameter":{"N":2,"array":[2,1]},"response":"<answer>1 2</answer>"})";
  const std::vector<std::string> lines{
      good,
      "{",
      "[]",
      R"({"environment":"Nothing","parameter":{},"response":""})",
      R"({"environment":"Sorting","parameter":{"N":2},"response":""})",
      R"({"environment":"Sorting","parameter":{"N":2,"array":[2,"x"]},"response":""})",
      R"({"environment":"Sorting","parameter":{"N":2,"array":[2,1]}})",
      R"({"address":"Sorting@99/1/1","response":""})",
      "\xff\xfe",
      good};
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  const Outcome outcome = run("gym score", input);
  EXPECT_EQ(outcome.code, 0);
  const auto verdicts = json_lines(outcome.out);
  ASSERT_EQ(verdicts.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(verdicts[i].contains("error"), i != 0 && i + 1 != lines.size()) << lines[i];
  }
  EXPECT_EQ(verdicts.front()["solved"], true);
  EXPECT_THAT(verdicts[5]["error"].get<std::string>(), HasSubstr("array[1]"));
  EXPECT_THAT(verdicts[3]["error"].get<std::string>(), HasSubstr("--environment PATH"));
}

TEST_F(Cli, ScoresRowsOfADataSet) {
  std::ofstream(folder_ / "sums.jsonl")
      << R"({"prompt":"What is 1 + 1?","answer":"2","verifier":"number"})" << '\n';
  const std::string named = " --environment " + path("sums.jsonl");
  const auto rows = json_lines(run("gym generate" + named + " --level 0").out);
  ASSERT_EQ(rows.size(), 1u);
  Json row = rows.front();
  row["response"] = "<answer>2</answer>";
  const auto verdicts = json_lines(run("gym score" + named, row.dump() + "\n").out);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts.front()["solved"], true);
}

// Settings of a run that takes seconds.
const char* const kTiny =
    " --set curriculum.suite=Sorting --set policy.prompt_format=terse --set model.hidden_size=16 "
    "--set model.intermediate_size=32"
    " --set model.layers=1 --set model.heads=2 --set model.key_value_heads=1 --set "
    "model.head_dim=8 --set model.vocabulary=300"
    " --set warm_start.levels=[0] --set warm_start.problems=50 --set warm_start.held_out=5 --set "
    "warm_start.batch_tokens=500"
    " --set batch.prompts=4 --set batch.sampled_prompts=4 --set batch.rollouts=4 --set "
    "batch.max_rounds=2"
    " --set sampling.max_new_tokens=8 --set run.threads=1 --set run.steps=8 --set "
    "run.checkpoint_every=2"
    " --set train.learning_rate=1e-3 --set evaluation.levels=[0] --set evaluation.problems=5 ";

TEST_F(Cli, TrainsEndToEnd) {
  ASSERT_EQ(run("policy init" + std::string(kTiny) + "--out " + path("policy")).code, 0);
  const Outcome warm = run("policy warmstart" + std::string(kTiny) + "--policy " + path("policy") +
                           " --out " + path("warm"));
  ASSERT_EQ(warm.code, 0) << warm.err;
  EXPECT_THAT(warm.out, HasSubstr("held-out loss"));
  EXPECT_EQ(run("policy init" + std::string(kTiny) + "--out " + path("policy")).code, 2)
      << "a folder that is there is not overwritten";
  const Outcome trained = run("train --recipe rlve --json" + std::string(kTiny) + "--policy " +
                              path("warm") + " --run " + path("run"));
  ASSERT_EQ(trained.code, 0) << trained.err;
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db");
  ASSERT_TRUE(store.has_value());
  EXPECT_EQ(*store->last_step(), 8);
  EXPECT_EQ(store->evaluations()->size(), 2u);
  EXPECT_FALSE(store->rollouts(1)->empty());

  const Outcome sampled = run("policy sample --environment Sorting" + std::string(kTiny) +
                              "--policy " + path("run/policy"));
  EXPECT_EQ(sampled.code, 0) << sampled.err;
  const Outcome evaluated =
      run("eval --json" + std::string(kTiny) + "--policy " + path("run/policy") + " --levels 0..1");
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_EQ(json_lines(evaluated.out).size(), 2u);

  // The policy's folder knows how it was taught: nothing need be said, and the figures agree with
  // those of the run.
  const std::string bare = " --suite Sorting --levels 0 --problems 5 ";
  const Outcome own = run("eval --json" + bare + "--policy " + path("run/policy"));
  ASSERT_EQ(own.code, 0) << own.err;
  EXPECT_THAT(own.err,
              HasSubstr("in the prompt format terse, as its redqueen.toml says, for at most "
                        "8 tokens"));
  EXPECT_EQ(json_lines(own.out), json_lines(run("eval --json --run " + path("run")).out));
  const auto after = store->evaluations()->back();
  EXPECT_EQ(json_lines(own.out).front()["solved"], after.solved);
  const Outcome wrong =
      run("eval --json" + bare + "--set policy.prompt_format=boxed --policy " + path("run/policy"));
  EXPECT_EQ(wrong.code, 0) << wrong.err;
  EXPECT_THAT(wrong.err, HasSubstr("none of 5 answers has the form that was asked for"));
  const Outcome beyond =
      run("eval --suite azr/deduction --levels 9 --policy " + path("run/policy"));
  EXPECT_EQ(beyond.code, 2);
  EXPECT_THAT(beyond.err, HasSubstr("its highest level is 8"));
  const Outcome again =
      run("train" + std::string(kTiny) + "--policy " + path("warm") + " --run " + path("run"));
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("there is a run already; go on with it by --resume"));
  const Outcome report = run("report " + path("run"));
  ASSERT_EQ(report.code, 0) << report.err;
  const std::string page = read_file(folder_ / "run" / "report" / "index.html");
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_THAT(page, testing::Not(HasSubstr("http-equiv=\"refresh\"")));
  EXPECT_TRUE(fs::exists(folder_ / "run" / "report" / "overview.png"));
}

// Evaluated every other step with two responses to a problem, on two suites: the same after a
// resume.
TEST_F(Cli, EvaluatesDuringTraining) {
  ASSERT_EQ(run("policy init" + std::string(kTiny) + "--out " + path("policy")).code, 0);
  const std::string how =
      std::string(kTiny) +
      "--set evaluation.every=2 --set evaluation.samples=2 --set "
      "evaluation.temperature=1 --set 'evaluation.suites=[\"Sorting\",\"Division\"]' ";
  const std::string train = "train --recipe rlve" + how + "--policy " + path("policy") + " --run ";
  const Outcome whole = run(train + path("whole"));
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("after step 4: "));
  EXPECT_THAT(whole.out, HasSubstr("pass@2"));
  EXPECT_TRUE(fs::exists(folder_ / "whole" / "best" / "policy" / "model.safetensors"));
  const auto evaluations = run::EventStore::open_to_read(folder_ / "whole/run.db")->evaluations();
  ASSERT_EQ(evaluations->size(), 10u);  // before, after steps 2, 4 and 6, after; two suites
  for (const auto& record : *evaluations) {
    EXPECT_EQ(record.problems, 10);
    EXPECT_EQ(record.samples, 2);
    EXPECT_LE(record.passed, record.solved);
  }
  ASSERT_EQ(run(train + path("part") + " --set run.steps=4").code, 0);
  const Outcome resumed = run("train --resume " + path("part") + " --set run.steps=8");
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  auto again = *run::EventStore::open_to_read(folder_ / "part/run.db")->evaluations();
  for (const auto& record : *evaluations) {
    if (record.step == 4) continue;  // the end of the first part
    EXPECT_EQ(std::ranges::count(again, record), 1) << record.policy << " " << record.suite;
  }
  const Outcome report = run("report " + path("whole"));
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_THAT(read_file(folder_ / "whole/report/index.html"),
              HasSubstr("Accuracy during training"));
  // Asked again, the run's policy solves on each suite what it solved at the end of the run.
  const Outcome eval = run("eval --json --run " + path("whole"));
  const auto lines = json_lines(eval.out);
  ASSERT_EQ(lines.size(), 2u) << eval.err;
  for (const Json& line : lines) {
    EXPECT_TRUE(line.contains("pass_at_samples"));
    const auto found = std::ranges::find_if(*evaluations, [&](const auto& record) {
      return record.policy == "after" && record.suite == line["suite"].get<std::string>();
    });
    ASSERT_NE(found, evaluations->end()) << line;
    EXPECT_EQ(line["solved"], found->solved);
    EXPECT_EQ(line["mean_reward"], found->mean_reward);
  }
  EXPECT_NE(lines[0]["suite"], lines[1]["suite"]);

  // What was best at the end of a run is not lost to a worse policy when the run is lengthened.
  {
    auto database =
        run::Database::open(folder_ / "part/run.db", run::Database::Mode::kReadWrite).value();
    ASSERT_TRUE(
        database.execute("DELETE FROM evaluations WHERE policy <> 'after'; "
                         "UPDATE evaluations SET solved = problems"));
  }
  std::ofstream(folder_ / "part/best/policy/kept")
      << "a policy that takes its place has no such file";
  const Outcome longer = run("train --resume " + path("part") + " --set run.steps=10");
  ASSERT_EQ(longer.code, 0) << longer.err;
  EXPECT_TRUE(fs::exists(folder_ / "part/best/policy/kept"));

  const Outcome typo =
      run(train + path("typo") + " --set 'evaluation.suites=[\"Sorting\",\"Divison\"]'");
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr("did you mean Division?"));
  EXPECT_FALSE(fs::exists(folder_ / "typo")) << "the name can be used again";
}

TEST_F(Cli, ComparesSettings) {
  for (const char* name : {"policy", "other"}) {
    const std::string seed = std::string(name) == "other" ? "--set run.seed=2 " : "";
    ASSERT_EQ(run("policy init" + std::string(kTiny) + seed + "--out " + path(name)).code, 0);
  }
  const std::string compare = "compare --quiet" + std::string(kTiny) + "--set run.steps=1 --out " +
                              path("compared") + " --policy ";
  const std::string rates = " --vary train.learning_rate=1e-3,1e-2";
  const Outcome typo = run(compare + path("policy") + " --vary evaluation.suite=Sorting,Sortin");
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr("did you mean Sorting?"));
  EXPECT_FALSE(fs::exists(path("compared"))) << "nothing was trained before the fault was told";

  const Outcome first = run(compare + path("policy") + rates);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("on Sorting"));
  EXPECT_THAT(first.out, HasSubstr("1e-2"));
  const Outcome longer = run(compare + path("policy") + rates + " --set run.steps=2");
  ASSERT_EQ(longer.code, 0) << longer.err;
  EXPECT_EQ(*run::EventStore::open_to_read(path("compared/1e-2/run.db"))->last_step(), 2);
  // Runs of another policy are not those that this command asks for.
  const Outcome other = run(compare + path("other") + rates);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("this run was made with policy.path"));
  EXPECT_THAT(read_file(path("compared/1e-3/config.toml")), HasSubstr(path("policy")));
}

// RUN=DIR of a quick start may name anything.
TEST_F(Cli, QuickStartsEmptyTheirOwnFoldersAlone) {
  const auto fresh = [&](const std::string& name) {
    const std::string command =
        fmt::format("RUN={1} {0} {1} 2>{2}", (source_dir() / "scripts/fresh_folder").string(),
                    path(name), path("err"));
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(fresh("own"), 0);
  std::ofstream(folder_ / "own/old") << "a run";
  EXPECT_EQ(fresh("own"), 0);
  EXPECT_FALSE(fs::exists(folder_ / "own/old"));
  fs::create_directory(folder_ / "home");
  std::ofstream(folder_ / "home/precious") << "thesis";
  EXPECT_EQ(fresh("home"), 2);
  EXPECT_TRUE(fs::exists(folder_ / "home/precious"));
  EXPECT_THAT(read_file(folder_ / "err"), HasSubstr("was not made by a quick start"));
}

// A file of rows is an environment by its path: made, scored, trained on and evaluated.
TEST_F(Cli, TrainsAndEvaluatesOnADataSet) {
  const auto file = folder_ / "sums.jsonl";
  {
    std::ofstream rows(file);
    for (int i = 0; i < 12; ++i)
      rows << fmt::format(R"({{"prompt": "What is {0} + {0}?", "answer": {1}}})", i, 2 * i) << "\n";
  }
  const Outcome made = run("gym generate " + file.string() + " --count 12");
  ASSERT_EQ(made.code, 0) << made.err;
  const auto rows = json_lines(made.out);
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_EQ(rows[3]["reference"], "6");
  EXPECT_THAT(rows[3]["prompt"].get<std::string>(), HasSubstr("What is 3 + 3?"));
  ASSERT_EQ(run("policy init" + std::string(kTiny) + "--out " + path("policy")).code, 0);
  const Outcome trained =
      run("train --recipe rlve --json" + std::string(kTiny) +
          "--set curriculum.suite=" + file.string() + " --set run.steps=2 --policy " +
          path("policy") + " --run " + path("run"));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("the rows of sums are trained on and evaluated"));
  const Outcome evaluated = run("eval --json" + std::string(kTiny) + "--suite " + file.string() +
                                " --problems 100 --policy " + path("run/policy"));
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  const auto records = json_lines(evaluated.out);
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.back()["problems"], 12);
  const Outcome none = run("gym generate " + path("none.jsonl"));
  EXPECT_EQ(none.code, 2);
  std::ofstream(file) << "{\"prompt\": \"a\"}\n";
  const Outcome broken = run("gym generate " + file.string());
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.err, HasSubstr("sums.jsonl:1: there is no \"answer\""));
}

// Code environments are registered before any configuration is read.
TEST_F(Cli, SandboxSettingsReachCodeEnvironments) {
  ASSERT_EQ(run("policy init" + std::string(kTiny) + "--out " + path("policy")).code, 0);
  const Outcome outcome =
      run("eval --suite azr/deduction --levels 0 --problems 1" + std::string(kTiny) + "--policy " +
          path("policy") + " --set sandbox.worker=/no/such/worker");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("/no/such/worker"));
}

TEST_F(Cli, AzrSaysWhatIsWrong) {
  const auto broken = folder_ / "prompts";
  fs::copy(source_dir() / "configs/azr/prompts-terse", broken);
  std::ofstream(broken / "solve_deduction.txt") << "{{program}}\nout:\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"azr tasks /no/such/run", "/no/such/run"},
      {"train --recipe azr --set train.advantage=trr++", "no policy"},
      {"train --config azr-quickstart --set azr.task=3", "azr.tasks"},
      {"train --config azr-quickstart --set train.advantage=grpo --policy /nowhere", "trr++"},
      {"train --config azr-quickstart --policy /nowhere --set azr.prompts=" + broken.string(),
       "{{input}}"},
      {"train --config azr-quickstart --policy /nowhere --set azr.prompts=/no/prompts",
       "/no/prompts"}};
  for (const auto& [words, message] : cases) {
    const Outcome outcome = run(words);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << words;
  }
}

// Starts the binary, kills it after a while, and says whether it had ended by itself.
bool run_and_kill(const std::string& command, std::chrono::milliseconds patience) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", ("exec " + command + " >/dev/null 2>&1").c_str(), nullptr);
    _exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (std::chrono::steady_clock::now() < end) {
    if (waitpid(child, &status, WNOHANG) == child) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

TEST_F(Cli, GoesOnToTheSameBitsAfterSigkill) {
  ASSERT_EQ(run("policy init" + std::string(kTiny) + "--out " + path("policy")).code, 0);
  const std::string quiet =
      " --quiet --set evaluation.before=false --set evaluation.after=false --set "
      "run.checkpoint_every=1 ";
  ASSERT_EQ(run("train" + std::string(kTiny) + quiet + "--policy " + path("policy") + " --run " +
                path("whole"))
                .code,
            0);
  const std::string start = redqueen_binary() + std::string(" train") + kTiny + quiet +
                            "--policy " + path("policy") + " --run " + path("broken");
  const std::string go_on =
      redqueen_binary() + std::string(" train --quiet --resume ") + path("broken");
  bool done = run_and_kill(start, std::chrono::milliseconds(400));
  for (int patience = 300; !done; patience += 100) {
    // Killed before the run had a directory, it starts anew.
    done = run_and_kill(fs::exists(folder_ / "broken" / "config.toml") ? go_on : start,
                        std::chrono::milliseconds(patience));
  }
  EXPECT_EQ(read_file(folder_ / "broken" / "policy" / "model.safetensors"),
            read_file(folder_ / "whole" / "policy" / "model.safetensors"));
  EXPECT_FALSE(read_file(folder_ / "whole" / "policy" / "model.safetensors").empty());
  auto whole = run::EventStore::open_to_read(folder_ / "whole" / "run.db");
  auto broken = run::EventStore::open_to_read(folder_ / "broken" / "run.db");
  ASSERT_TRUE(whole.has_value() && broken.has_value());
  EXPECT_EQ(*whole->metric(run::metric::kReward), *broken->metric(run::metric::kReward));
  EXPECT_EQ(*whole->curriculum(), *broken->curriculum());
}

TEST_F(Cli, SavesWhenInterrupted) {
  ASSERT_EQ(run("policy init" + std::string(kTiny) + "--out " + path("policy")).code, 0);
  const std::string command = redqueen_binary() + std::string(" train") + kTiny +
                              "--set run.steps=100000 --set run.checkpoint_every=100000 --policy " +
                              path("policy") + " --run " + path("run") + " >" + path("out") +
                              " 2>&1";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < 6000; ++i) {  // until steps are being made
    auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db");
    if (store && store->last_step().value_or(0) >= 2) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130);
  EXPECT_THAT(read_file(folder_ / "out"), HasSubstr("go on with: redqueen train --resume"));
  EXPECT_EQ(run::checkpoints_of(folder_ / "run").size(), 1u);
}

}  // namespace
}  // namespace redqueen
