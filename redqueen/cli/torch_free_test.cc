// The program without libtorch, held against the whole one: what it can do comes out the same, and
// of the rest it says what is missing.

#include <gmock/gmock.h>

#include "redqueen/cli/testing/fixture.h"
#include "redqueen/policy/testing/server.h"
#include "redqueen/run/event_store.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

class TorchFree : public CliFixture {
 protected:
  static std::string program() { return redqueen_binary() + "-torch-free"; }
};

TEST_F(TorchFree, LinksNoLibtorch) {
  ASSERT_EQ(std::system(("readelf -d " + program() + " >" + at("links")).c_str()), 0);
  EXPECT_THAT(read(at("links")), HasSubstr("libssl"));
  EXPECT_THAT(read(at("links")), Not(HasSubstr("torch")));
  EXPECT_THAT(read(at("links")), Not(HasSubstr("libc10")));
  EXPECT_THAT(read(at("links")), Not(HasSubstr("libcairo")));
}

TEST_F(TorchFree, AnswersAsTheWholeProgramDoes) {
  for (const char* words :
       {"gym list", "gym sample Sorting --level 2 --seed 5", "gym sample azr/deduction",
        "gym generate Knapsack --level 1 --seed 7", "config show quickstart", "arena list",
        "doctor --plan rlve-7b --device h100:8"}) {
    const Outcome whole = run(words);
    const Outcome free = run_program(program(), words);
    EXPECT_EQ(free.code, whole.code) << words << "\n" << free.err;
    EXPECT_EQ(free.out, whole.out) << words;
  }
  std::ofstream(at("program.py")) << "print(6 * 7)\n";
  const Outcome sandboxed = run_program(program(), "sandbox run " + at("program.py"));
  EXPECT_EQ(sandboxed.code, 0) << sandboxed.err;
  EXPECT_EQ(sandboxed.out, "42\n");
  EXPECT_THAT(run_program(program(), "doctor").out, HasSubstr("none: this program neither trains"));
}

// The pictures are those of the whole program, byte for byte; cairo is loaded for them.
TEST_F(TorchFree, DrawsReports) {
  std::filesystem::create_directory(at("run"));
  {
    run::EventStore store = run::EventStore::open(at("run/run.db")).value();
    for (int step = 1; step < 4; ++step) {
      ASSERT_TRUE(store.append(
          {.step = step, .time = 10, .seconds = 1, .metrics = {{"reward", 1.0 * step}}}));
    }
  }
  ASSERT_EQ(run("report " + at("run") + " --out " + at("whole")).code, 0);
  const Outcome free = run_program(program(), "report " + at("run") + " --out " + at("free"));
  ASSERT_EQ(free.code, 0) << free.err;
  int pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(at("whole"))) {
    if (entry.path().extension() != ".png") continue;
    ++pictures;
    EXPECT_EQ(read(std::filesystem::path(at("free")) / entry.path().filename()), read(entry.path()))
        << entry.path();
  }
  EXPECT_GT(pictures, 0);
}

TEST_F(TorchFree, AsksPoliciesBehindAnEndpoint) {
  const TestServer server("redqueen/recipes/evoenv/testdata/environment_server.py", "0");
  const Outcome eval =
      run_program(program(), "eval --suite Sorting --policy openai:" + server.url() +
                                 " --set endpoint.model=scripted --problems 2 --levels 0");
  EXPECT_EQ(eval.code, 0) << eval.err;
  EXPECT_THAT(eval.out, HasSubstr("Sorting"));
}

TEST_F(TorchFree, SaysWhatNeedsLibtorch) {
  for (const char* words :
       {"train", "train --config quickstart --policy DIR", "policy init --out DIR", "policy",
        "compare --out DIR --vary run.steps=1,2", "bench train --steps 1", "eval --policy DIR"}) {
    const Outcome outcome = run_program(program(), words);
    EXPECT_EQ(outcome.code, 1) << words << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("needs libtorch")) << words;
    EXPECT_EQ(outcome.out, "") << words;
  }
  const Outcome none = run_program(program(), "eval --suite Sorting");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("openai:URL"));
  EXPECT_THAT(run_program(program(), "--help").out,
              HasSubstr("needs libtorch: not in this program"));
}

// The command redqueen (cli/launcher): both programs lie beside it.
class Launcher : public CliFixture {
 protected:
  // Whether the dynamic loader loaded libtorch for the words.
  bool loads_libtorch(const std::string& words) const {
    const Outcome outcome = run_program("LD_DEBUG=files " + redqueen_binary(), words);
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
    return outcome.err.find("libtorch") != std::string::npos;
  }
};

TEST_F(Launcher, LoadsLibtorchForThoseWhoNeedIt) {
  std::filesystem::create_directory(at("none"));
  EXPECT_FALSE(loads_libtorch("gym sample Sorting"));
  EXPECT_FALSE(loads_libtorch("--configs " + at("none") + " config --help"));
  EXPECT_TRUE(loads_libtorch("--version"));
  EXPECT_TRUE(loads_libtorch("--configs " + at("none") + " train --help"));
}

TEST_F(Launcher, CommandsWithoutLibtorchLackNothing) {
  for (const std::string command :
       {"azr", "config", "export", "genenv", "gym", "report", "sandbox", "watch"}) {
    EXPECT_FALSE(loads_libtorch(command + " --help"));
    const Outcome light = run("help " + command);
    EXPECT_THAT(light.out, Not(HasSubstr("needs libtorch"))) << command;
    EXPECT_EQ(light.out, run_program(redqueen_binary() + "-torch-free", "help " + command).out);
  }
}

TEST_F(Launcher, SaysWhichProgramIsMissing) {
  std::filesystem::copy(redqueen_binary(), at("redqueen"));
  for (const auto& [words, missing] :
       {std::pair("gym list", "redqueen-torch-free"), std::pair("train", "redqueen-with-torch")}) {
    const Outcome outcome = run_program(at("redqueen"), words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(at(missing) + " cannot be started: No such file"));
  }
}

TEST_F(Launcher, SaysThatItFindsNoConfigurations) {
  for (const char* program : {"", "-torch-free"}) {
    std::filesystem::copy(redqueen_binary() + program, at(std::string("redqueen") + program));
  }
  const Outcome outcome = run_program(at("redqueen"), "config show quickstart");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no configuration \"quickstart\", nor any other"));
}

}  // namespace
}  // namespace redqueen
