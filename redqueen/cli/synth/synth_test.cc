// redqueen synth as a user meets it: exit codes and words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "redqueen/base/json.h"
#include "redqueen/cli/testing/fixture.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SynthCli : public CliFixture {};

TEST_F(SynthCli, LintExplainsASoundEnvironment) {
  const Outcome outcome = run("synth lint configs/evoenv/seeds/sorting.py --probes");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* words :
       {"L1 passed", "L5 passed", "Sort these", "plus_one", "Sorting is sound"}) {
    EXPECT_THAT(outcome.out, HasSubstr(words));
  }
}

// As in a container that gives no namespaces: the error names what makes the command run.
TEST_F(SynthCli, LessIsolationIsASettingThatTheErrorNames) {
  for (const char* const words :
       {"synth lint configs/evoenv/seeds/sorting.py", "gym sample configs/evoenv/seeds/sorting.py",
        "gym check configs/evoenv/seeds/sorting.py --problems 1"}) {
    const std::string without = std::string(words) + " --set sandbox.use_namespaces=false";
    const Outcome refused = run(without);
    EXPECT_EQ(refused.code, 1) << words;
    EXPECT_THAT(refused.err + refused.out, HasSubstr("--set sandbox.require=standard")) << words;
    const Outcome accepted = run(without + " --set sandbox.require=standard");
    EXPECT_EQ(accepted.code, 0) << words << accepted.err;
    EXPECT_THAT(accepted.err, HasSubstr("less isolation than it could have")) << words;
  }
}

// What a bench measures isolates as every other command does.
TEST_F(SynthCli, BenchSandboxReadsTheSandboxTable) {
  const Outcome refused = run("bench sandbox --set sandbox.use_namespaces=false");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--set sandbox.require=standard"));
  EXPECT_EQ(run("bench sandbox --set sandbox.no_such_setting=1").code, 2);
  EXPECT_EQ(run("bench sandbox --workers 2000").code, 2);
}

TEST_F(SynthCli, LintExplainsAFall) {
  const Outcome outcome = run("synth lint redqueen/synth/zoo/hash_seed_dependent.py");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("L2 passed"));
  EXPECT_THAT(outcome.out, HasSubstr("L3 FAILED"));
  EXPECT_THAT(outcome.err, HasSubstr("hash_seed_dependent"));
}

TEST_F(SynthCli, LintSpeaksJson) {
  const Outcome outcome = run("synth lint redqueen/synth/zoo/syntax_error.py --json");
  EXPECT_EQ(outcome.code, 1);
  const auto json = parse_json(outcome.out);
  ASSERT_TRUE(json.has_value()) << outcome.out;
  EXPECT_EQ((*json)["layer"], 0);
  EXPECT_EQ((*json)["fault"], "syntax");
  EXPECT_GT((*json)["line"], 0);
}

TEST_F(SynthCli, LintReadsTheCodeOfAResponse) {
  std::ofstream(folder_ / "response.md")
      << "Here it is:\n```python\n"
      << read("configs/evoenv/seeds/fibonacci.py") << "```\nDone.\n";
  EXPECT_EQ(run("synth lint " + (folder_ / "response.md").string()).code, 0);
}

TEST_F(SynthCli, ATerminalDoesNotObeyWhatAnEnvironmentWrites) {
  std::string source = read("configs/evoenv/seeds/sorting.py");
  source.replace(source.find("Sort these"), 10, "\\033]0;owned\\007\\u009b31mSort these");
  const std::string file = (folder_ / "escapes.py").string();
  std::ofstream(file) << source;
  for (const std::string& words : {"synth lint " + file, "gym sample " + file}) {
    const Outcome outcome = run(words);
    EXPECT_THAT(outcome.out, HasSubstr("␛]0;owned␇�31mSort these")) << outcome.err;
    EXPECT_EQ(outcome.out.find_first_of("\x1b\x07"), std::string::npos);
  }
}

TEST_F(SynthCli, AuditsLayersOnCandidatesOfKnownTruth) {
  fs::create_directories(folder_ / "animals");
  for (const std::string name : {"caesar", "bell_in_reference"}) {
    fs::copy_file("redqueen/synth/zoo/subtle/" + name + ".py",
                  folder_ / "animals" / (name + ".py"));
  }
  const Outcome outcome = run("synth audit-layers " + at("animals"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("| L2 | 1 | 1 | 100 % | 100 % |"));

  std::ofstream(folder_ / "animals" / "sorting.py") << "# expect: L3 shared_state\n"
                                                    << read("configs/evoenv/seeds/sorting.py");
  const Outcome surprised = run("synth audit-layers " + at("animals"));
  EXPECT_EQ(surprised.code, 1);
  EXPECT_THAT(surprised.out, HasSubstr("sound (expected: L3 shared_state), though faulty"));

  std::ofstream(folder_ / "animals" / "unsaid.py") << "x = 1\n";
  EXPECT_EQ(run("synth audit-layers " + at("animals")).code, 2);
  EXPECT_EQ(run("synth audit-layers no/such/folder").code, 2);
}

TEST_F(SynthCli, LintRefusesWhatIsNoFile) {
  EXPECT_EQ(run("synth lint no/such/file.py").code, 2);
  EXPECT_EQ(run("synth lint").code, 2);
  std::ofstream(folder_ / "empty.md") << "no code\n";
  EXPECT_EQ(run("synth lint " + (folder_ / "empty.md").string()).code, 2);
}

TEST_F(SynthCli, BenchMeasuresTheSeeds) {
  fs::create_directories(folder_ / "seeds");
  fs::copy_file("configs/evoenv/seeds/sorting.py", folder_ / "seeds" / "sorting.py");
  const std::string seeds = fmt::format(" --set 'evoenv.seeds=\"{}\"'", at("seeds"));
  const Outcome outcome = run("bench synth --json --seconds 1 --problems 2" + seeds);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = parse_json(outcome.out);
  ASSERT_TRUE(json.has_value()) << outcome.out;
  for (const char* speed :
       {"environments_per_second", "problems_per_second", "answers_per_second"}) {
    EXPECT_GT((*json)[speed], 0) << speed;
  }
  EXPECT_EQ(run("bench synth --seconds 0" + seeds).code, 2);
  const Outcome nowhere = run("bench synth --set 'evoenv.seeds=\"no/such/folder\"'");
  EXPECT_NE(nowhere.code, 0);
  EXPECT_THAT(nowhere.err, HasSubstr("no/such/folder"));
}

}  // namespace
}  // namespace redqueen
