#include "redqueen/run/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen::run {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

enum class Rule { kGroup, kBatch };

struct Example {
  std::string name = "unnamed";
  bool shuffle = true;
  int steps = 100;
  std::int64_t big = 0;
  std::uint64_t seed = 1;
  double rate = 1e-3;
  std::vector<std::string> environments = {"Sorting"};
  std::vector<int> levels = {0, 4};
  std::vector<double> betas = {0.9, 0.95};
  Rule rule = Rule::kGroup;
  std::string marker = "answer";
  double clip = 0.2;
  bool operator==(const Example&) const = default;
};

void bind(Settings& settings, Example& example) {
  Section run = settings.section("run", "What is run.");
  run.field("name", example.name, {.help = "For people."});
  run.field("shuffle", example.shuffle, {});
  run.field("steps", example.steps, {.help = "Updates.", .min = 1, .max = 1000});
  run.field("big", example.big, {});
  run.field("seed", example.seed, {.help = "Of all randomness."});
  Section train = settings.section("train", "How it learns.");
  train.field("rate", example.rate, {.help = "Learning rate.", .min = 0});
  train.field("environments", example.environments, {});
  train.field("levels", example.levels, {.min = 0});
  train.field("betas", example.betas, {.min = 0, .max = 1});
  static constexpr auto kRules =
      enum_names<Rule>({{"group", Rule::kGroup}, {"batch", Rule::kBatch}});
  train.choice("rule", example.rule, kRules, "Advantages.");
  train.field("marker", example.marker, {.choices = {"answer", "boxed"}, .former = "mark"});
  train.section("objective").field("clip", example.clip, {.help = "PPO's clip range."});
}

struct Result {
  Example example;
  std::string error;  // "" if there was none
  std::string toml;
};

Result read(Config config) {
  Result result;
  Settings settings(std::move(config));
  bind(settings, result.example);
  if (auto status = settings.finish(); !status) result.error = status.error().message;
  result.toml = settings.to_toml();
  return result;
}

Result read(std::string_view toml) { return read(Config::parse(toml, "x.toml").value()); }

TEST(Config, KeepsDefaultsWhereNothingIsSaid) {
  const Result result = read(Config());
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.example, Example());
}

TEST(Config, ReadsEveryType) {
  const Result result = read(R"(
[run]
name = "a \"b\""
shuffle = false
steps = 7
big = -9000000000
seed = 123456789012
[train]
rate = 1
environments = ["A", "B"]
levels = []
betas = [0.5, 1]
rule = "batch"
marker = "boxed"
objective.clip = 0.25
)");
  EXPECT_EQ(result.error, "");
  const Example expected{.name = "a \"b\"",
                         .shuffle = false,
                         .steps = 7,
                         .big = -9000000000,
                         .seed = 123456789012,
                         .rate = 1.0,
                         .environments = {"A", "B"},
                         .levels = {},
                         .betas = {0.5, 1.0},
                         .rule = Rule::kBatch,
                         .marker = "boxed",
                         .clip = 0.25};
  EXPECT_EQ(result.example, expected);
}

TEST(Config, OverridesWinOverTheFileAndNeedNoQuotes) {
  Config config = Config::parse("[run]\nname = \"file\"\nsteps = 5\n", "x.toml").value();
  const Config before = config;
  for (const char* assignment :
       {"run.name=a/b c", "run.steps=6", "run.steps=8", "train.levels=[1, 2]",
        "train.environments=[\"X\"]", "train.rate=2e-6", "train.objective.clip = 0.5",
        "train.marker=boxed"}) {
    ASSERT_TRUE(config.set(assignment)) << assignment;
  }
  const Result result = read(config);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.example.name, "a/b c");
  EXPECT_EQ(result.example.steps, 8);
  EXPECT_THAT(result.example.levels, ElementsAre(1, 2));
  EXPECT_THAT(result.example.environments, ElementsAre("X"));
  EXPECT_EQ(result.example.rate, 2e-6);
  EXPECT_EQ(result.example.clip, 0.5);
  EXPECT_EQ(result.example.marker, "boxed");
  EXPECT_EQ(read(before).example.steps, 5);
}

TEST(Config, OverridesMayHoldAnyText) {
  const std::string name = "=\"'\\ \n[x]\t#end\x01";
  Config config;
  ASSERT_TRUE(config.set("run.name=" + name));
  EXPECT_EQ(read(config).example.name, name);
  Config empty;
  ASSERT_TRUE(empty.set("run.name="));
  EXPECT_EQ(read(empty).example.name, "");
}

TEST(Config, RefusesAssignmentsWithoutKey) {
  Config config;
  for (const char* assignment : {"run.name", "=3", "", "run..name=3", "[a]=3", "a b=3"}) {
    const Status status = config.set(assignment);
    ASSERT_FALSE(status) << assignment;
    EXPECT_THAT(status.error().message, HasSubstr("--set"));
    EXPECT_EQ(status.error().kind, ErrorKind::kUsage);
  }
}

TEST(Config, NamesFileLineAndExpectationOfWrongValues) {
  const auto error_of = [](const std::string& line, const std::string& section = "run") {
    return read("[" + section + "]\n" + line + "\n").error;
  };
  EXPECT_THAT(error_of("steps = \"many\""),
              AllOf(HasSubstr("x.toml:2"), HasSubstr("run.steps"), HasSubstr("many"),
                    HasSubstr("whole number"), HasSubstr("between 1 and 1000")));
  EXPECT_THAT(error_of("steps = 0"), HasSubstr("between 1 and 1000"));
  EXPECT_THAT(error_of("steps = 1.0"), HasSubstr("whole number"));
  EXPECT_THAT(error_of("steps = 99999999999"), HasSubstr("run.steps"));
  EXPECT_THAT(error_of("seed = -1"), HasSubstr("run.seed"));
  EXPECT_THAT(error_of("shuffle = 1"), HasSubstr("true or false"));
  EXPECT_THAT(error_of("name = 1"), HasSubstr("text"));
  EXPECT_THAT(error_of("rate = -0.1", "train"), HasSubstr("at least 0"));
  EXPECT_THAT(error_of("rate = nan", "train"), HasSubstr("train.rate"));
  EXPECT_THAT(error_of("levels = 3", "train"), HasSubstr("list of whole numbers"));
  EXPECT_THAT(error_of("levels = [3, -1]", "train"), HasSubstr("train.levels"));
  EXPECT_THAT(error_of("environments = [\"a\", 1]", "train"), HasSubstr("list of texts"));
  EXPECT_THAT(error_of("rule = \"grup\"", "train"), HasSubstr("one of: group, batch"));
  EXPECT_THAT(error_of("rate = {a = 1}", "train"), HasSubstr("train.rate"));
}

TEST(Config, ReportsEveryProblemAtOnce) {
  Config config = Config::parse("[run]\nsteps = true\nsed = 3\n", "x.toml").value();
  ASSERT_TRUE(config.set("train.rate=fast"));
  const std::string error = read(config).error;
  EXPECT_THAT(
      error,
      AllOf(HasSubstr("x.toml:2: run.steps"), HasSubstr("x.toml:3: there is no setting run.sed"),
            HasSubstr("did you mean run.seed?"), HasSubstr("--set: train.rate is 'fast'")));
}

TEST(Config, AnswersAnUnknownChoiceWithThoseThatThereAre) {
  Config config;
  ASSERT_TRUE(config.set("run.recipe=evoenw", "--recipe"));
  Settings settings(config);
  std::string recipe = "rlve";
  settings.section("run").field("recipe", recipe,
                                {.choices = {"azr", "evoenv", "rlve"}, .noun = "recipe"});
  EXPECT_EQ(settings.finish().error().message,
            "--recipe: there is no recipe \"evoenw\" (did you mean evoenv?); there are azr, "
            "evoenv, rlve");
}

TEST(Config, NamesTheNewNameOfRenamedOnes) {
  EXPECT_EQ(read("[train]\nmark = \"boxed\"\n").error,
            "x.toml:2: the setting train.mark is called train.marker now");
}

TEST(Config, NamesTheNearestKeyOfUnknownOnes) {
  EXPECT_THAT(read("[trian]\nrate = 1\n").error, HasSubstr("did you mean train.rate?"));
  EXPECT_THAT(read("rate = 1\n").error, HasSubstr("did you mean train.rate?"));
  EXPECT_THAT(read("[train]\nclip = 1\n").error, HasSubstr("did you mean train.objective.clip?"));
  EXPECT_THAT(read("[train]\nzzzzzzzzzz = 1\n").error, Not(HasSubstr("did you mean")));
  EXPECT_THAT(read("train = 3\n").error, HasSubstr("there is no setting train"));
  EXPECT_THAT(read("\"train.rate\" = 3\n").error, HasSubstr("there is no setting"));
  EXPECT_THAT(read("[nothing]\n").error, HasSubstr("there is no setting nothing"));
  EXPECT_EQ(read("[train]\n").error, "");
}

TEST(Config, WritesWhatItReadsBack) {
  const Result first =
      read("[run]\nname = \"x\\u0007 \\\\ é\"\n[train]\nrate = 1e-300\nbetas = [0.1, 1.0]\n");
  ASSERT_EQ(first.error, "");
  EXPECT_THAT(first.toml, AllOf(HasSubstr("# How it learns.\n[train]"),
                                HasSubstr("# PPO's clip range.\nclip = 0.2"),
                                HasSubstr("Updates. (between 1 and 1000)")));
  const Result second = read(first.toml);
  EXPECT_EQ(second.error, "");
  EXPECT_EQ(second.example, first.example);
  EXPECT_EQ(second.toml, first.toml);
}

TEST(Config, WritesNumbersThatReadBackExactly) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    Rng rng({.seed = 1, .index = i});
    Example example;
    example.rate = std::ldexp(rng.real(), static_cast<int>(rng.integer(-300, 300)));
    if (i == 0) example.rate = std::numeric_limits<double>::infinity();
    example.big = static_cast<std::int64_t>(rng.bits());
    Settings settings{Config()};
    bind(settings, example);
    EXPECT_EQ(read(settings.to_toml()).example, example);
  }
}

TEST(Config, LoadsFilesAndNamesBadOnes) {
  const TestFolder folder;
  write_file(folder / "good.toml", "[run]\nsteps = 3\n");
  write_file(folder / "bad.toml", "[run]\nsteps = \n");
  EXPECT_EQ(read(Config::load(folder / "good.toml").value()).example.steps, 3);
  EXPECT_THAT(Config::load(folder / "bad.toml").error().message, HasSubstr("bad.toml:2"));
  EXPECT_THAT(Config::load(folder / "none.toml").error().message, HasSubstr("none.toml"));
  EXPECT_THAT(Config::load(folder / "").error().message, HasSubstr("this is a folder"));
}

TEST(Config, RandomBytesAreErrorsAndNotCrashes) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Rng rng({.seed = 2, .index = i});
    std::string text = "[run]\nsteps = 3\n[train]\nlevels = [1, 2]\n";
    for (std::int64_t left = rng.integer(1, 10); left > 0; --left) {
      static constexpr std::string_view kBytes = "[]={}\".,#\n\\x01 \xFF";
      const char byte =
          rng.chance(0.5) ? kBytes[rng.below(kBytes.size())] : static_cast<char>(rng.below(256));
      text.insert(rng.below(text.size() + 1), 1, byte);
    }
    Config config;
    (void)config.set(text);
    (void)read(config);
    if (const auto parsed = Config::parse(text, "x.toml")) (void)read(*parsed);
  }
}

}  // namespace
}  // namespace redqueen::run
