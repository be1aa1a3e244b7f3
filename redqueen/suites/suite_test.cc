#include "redqueen/suites/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "redqueen/suites/curriculum_settings.h"
#include "redqueen/suites/testing/echo.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// A to C are published, and C is a game.
template <char kLetter>
struct Lettered : RepeatNumber {
  static constexpr char kName[] = {kLetter, 0};
  static constexpr Card card{.name = kName,
                             .published = kLetter <= 'C',
                             .family = kLetter == 'C' ? Family::kGames : Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "None.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 3};
};

class MixedSuite : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "redqueen_suite_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    registry_.add(std::make_unique<NativeEnvironment<Lettered<'A'>>>());
    registry_.add(std::make_unique<NativeEnvironment<Lettered<'B'>>>());
    registry_.add(std::make_unique<NativeEnvironment<Lettered<'C'>>>());
    write("pair.toml", "environments = [\"A\", \"B\"]");
    write("rows.jsonl", R"({"prompt": "1 + 1?", "answer": "2"})");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text << '\n';
  }

  Expected<Suite> load(const std::string& name) const {
    return load_suite(name, {registry_, {folder_}, nullptr});
  }

  std::string error_of(const std::string& text) const {
    write("wrong.toml", text);
    const auto suite = load("wrong");
    return suite ? "no error" : suite.error().message;
  }

  fs::path folder_;
  Registry registry_;
};

std::vector<std::string_view> names(const Suite& suite) {
  std::vector<std::string_view> names;
  for (const Environment* environment : suite.environments) names.push_back(environment->name());
  return names;
}

TEST_F(MixedSuite, SharesAPartsWeightAmongItsEnvironments) {
  write("mixed.toml", R"(parts = ["pair", "C", "rows.jsonl"]
weights = [2, 0.5, 3]
levels = [0, 1])");
  const auto suite = load("mixed");
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_THAT(names(*suite), ElementsAre("A", "B", "C", "rows"));
  EXPECT_THAT(suite->weights, ElementsAre(1, 1, 0.5, 3));
  EXPECT_THAT(suite->levels, ElementsAre(0, 1));
}

TEST_F(MixedSuite, TakesEachOfSeveralNamesOnce) {
  const auto suite = load("B, A,B,B");
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_THAT(names(*suite), ElementsAre("B", "A"));
  EXPECT_THAT(load("A, Z").error().message, HasSubstr("\"Z\""));
  EXPECT_THAT(load("C,pair").error().message, HasSubstr("\"pair\" is a suite"));
}

// Whoever draws from no environment at all ends the process.
TEST_F(MixedSuite, HasAnEnvironmentAtLeast) {
  for (const char* name : {",", ",,", ""}) {
    const auto suite = load(name);
    ASSERT_FALSE(suite) << name;
    EXPECT_EQ(suite.error().kind, ErrorKind::kUsage);
  }
  EXPECT_FALSE(make_curriculum({}, {}, {}));
  EXPECT_FALSE(load(std::string(100'000, 'a')));
}

TEST_F(MixedSuite, SelectsEnvironmentsOfThisBuild) {
  registry_.add(std::make_unique<NativeEnvironment<Lettered<'U'>>>());
  const auto of = [&](const std::string& text) {
    write("selected.toml", text);
    const auto suite = load("selected");
    EXPECT_TRUE(suite) << text << ": " << suite.error().message;
    return suite ? names(*suite) : std::vector<std::string_view>{};
  };
  EXPECT_THAT(of("published = true"), ElementsAre("A", "B", "C"));
  EXPECT_THAT(of("family = \"arithmetic\""), ElementsAre("A", "B", "U"));
  EXPECT_THAT(of("published = true\nfamily = \"arithmetic\""), ElementsAre("A", "B"));
  EXPECT_THAT(error_of("family = \"worlds\""), HasSubstr("selects no environment"));
  EXPECT_THAT(error_of("published = true\nenvironments = [\"U\"]"), HasSubstr("either"));
}

TEST_F(MixedSuite, TakesPartsOfParts) {
  write("inner.toml", "parts = [\"A\", \"pair.toml\"]\nweights = [1, 2]");
  write("outer.toml", "parts = [\"inner\", \"B,C\"]");
  const auto suite = load((folder_ / "outer.toml").string());
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_THAT(names(*suite), ElementsAre("A", "B", "C"));
  ASSERT_EQ(suite->weights.size(), 3u);
  EXPECT_DOUBLE_EQ(suite->weights[0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(suite->weights[1], 1.0 / 3 + 0.5);
  EXPECT_DOUBLE_EQ(suite->weights[2], 0.5);
}

TEST_F(MixedSuite, ChoosesBetweenGenerators) {
  registry_.add(std::make_unique<NativeEnvironment<Lettered<'A'>>>(Generator::kPublished));
  registry_.add(std::make_unique<NativeEnvironment<Lettered<'C'>>>(Generator::kPublished));
  EXPECT_EQ(registry_.all().size(), 3u) << "published forms are asked for by name alone";
  const auto of = [&](const std::string& name) {
    auto suite = load(name);
    EXPECT_TRUE(suite) << name << ": " << suite.error().message;
    return suite ? *std::move(suite) : Suite{};
  };
  EXPECT_THAT(names(of("A:published")), ElementsAre("A:published"));
  EXPECT_THAT(names(of("A,C:published")), ElementsAre("A", "C:published"));
  EXPECT_THAT(names(of("pair:published")), ElementsAre("A:published", "B"));
  EXPECT_THAT(names(of("pair:hardened")), ElementsAre("A", "B"));
  const Suite mixed = of("pair:hardened=0.75");
  EXPECT_THAT(names(mixed), ElementsAre("A", "A:published", "B"));
  EXPECT_THAT(mixed.weights, ElementsAre(0.75, 0.25, 1));
  write("own.toml", "published = true\nhardened = 0");
  EXPECT_THAT(names(of("own")), ElementsAre("A:published", "B", "C:published"));
  EXPECT_THAT(names(of("own:hardened")), ElementsAre("A", "B", "C"));
  write("half.toml", "environments = [\"C\", \"B\"]\nhardened = 0.5");
  EXPECT_THAT(names(of("half")), ElementsAre("B", "C", "C:published"));
  EXPECT_THAT(of("half").weights, ElementsAre(1, 0.5, 0.5));
  for (const char* wrong : {"pair:hardened=1.5", "pair:hardened=", "pair:other", ":published"})
    EXPECT_FALSE(load(wrong)) << wrong;
  EXPECT_THAT(error_of("environments = [\"A\"]\nhardened = 2"), HasSubstr("hardened"));
}

TEST_F(MixedSuite, ReadsProblemsWithTheirStatements) {
  const auto parameter = (*registry_.find("A")->generate(2, 7))->parameter();
  const auto reference = (*registry_.find("A")->generate(2, 7))->reference();
  const Json config{{"seed", 0}, {"parameter", parameter}, {"passing_reward_threshold", 1.0}};
  const Json metadata{{"environment", "A"}, {"config", config}};
  const Json rows =
      Json::array({{{"user_prompt", "Say it again."}, {"metadata", dump_json(metadata)}},
                   {{"user_prompt", "And again."}, {"metadata", metadata}}});
  write("test.json", dump_json(rows));
  const auto suite = load((folder_ / "test.json").string());
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_THAT(names(*suite), ElementsAre("test/A"));
  EXPECT_EQ(suite->problems, 2);
  const Environment& environment = *suite->environments[0];
  EXPECT_EQ(data_sets::rows_at(environment, 0), 2);
  const auto problem = environment.generate(0, 1);
  ASSERT_TRUE(problem);
  EXPECT_EQ((*problem)->prompt(), "And again.");
  EXPECT_TRUE((*problem)->score(reference).solved);
  EXPECT_FALSE((*problem)->score("-1").solved);
  EXPECT_FALSE(environment.generate(1, 0));

  const auto error = [&](const Json& wrong) {
    write("wrong.json", dump_json(wrong));
    const auto loaded = load((folder_ / "wrong.json").string());
    return loaded ? "no error" : loaded.error().message;
  };
  Json row = rows[1];
  row["metadata"]["environment"] = "Z";
  EXPECT_THAT(error(Json::array({rows[0], row})), HasSubstr("problem 1: "));
  row = rows[1];
  row["metadata"]["config"]["parameter"] = Json::object();
  EXPECT_THAT(error(Json::array({row})), HasSubstr("problem 0: "));
  row.erase("metadata");
  EXPECT_THAT(error(Json::array({row})), HasSubstr("there is no \"metadata\""));
  row = rows[1];
  row["metadata"] = "{";
  EXPECT_THAT(error(Json::array({row})), HasSubstr("problem 0: "));
  EXPECT_THAT(error(Json::array({1})), HasSubstr("there is no text \"user_prompt\""));
  EXPECT_THAT(error(Json::array()), HasSubstr("no list of problems"));
  EXPECT_THAT(error(Json::object()), HasSubstr("no list of problems"));
}

TEST_F(MixedSuite, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("parts = [\"A\"]\nenvironments = [\"B\"]"), HasSubstr("either"));
  EXPECT_THAT(error_of("parts = [\"A\", \"B\"]\nweights = [1]"), HasSubstr("1 numbers for 2"));
  EXPECT_THAT(error_of("parts = [\"A\"]\nweights = [0]"), HasSubstr("weights"));
  EXPECT_THAT(error_of("parts = [\"wrong\"]"), HasSubstr("does it hold itself?"));
  EXPECT_THAT(error_of("parts = [\"D\"]"), HasSubstr("there is no suite or environment \"D\""));
  EXPECT_THAT(error_of("parts = [\"\"]"), HasSubstr("there is no suite or environment \"\""));
  fs::create_directory(folder_ / "other");
  fs::copy(folder_ / "rows.jsonl", folder_ / "other" / "rows.jsonl");
  EXPECT_THAT(error_of("parts = [\"rows.jsonl\", \"other/rows.jsonl\"]"), HasSubstr("rename one"));
}

}  // namespace
}  // namespace redqueen
