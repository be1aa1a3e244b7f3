#include "redqueen/suites/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "redqueen/core/contract.h"

namespace redqueen {
namespace {

using ::testing::HasSubstr;

std::atomic<int> problems_made = 0;

// Level 1 never makes a problem.
struct Double {
  static constexpr Card card{.name = "Double",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Double a number.",
                             .levels = "1 fails.",
                             .rewards = "1 if right, else 0.",
                             .version = 3,
                             .max_level = 1};
  struct Config {
    int level = 0;
    REDQUEEN_FIELDS(level)
  };
  struct Problem {
    std::int64_t x = 0;
    REDQUEEN_FIELDS(x)
  };
  using Answer = std::int64_t;
  static Config at_level(int level, Rng&) { return {level}; }
  static Problem generate(const Config& config, Rng& rng) {
    if (config.level == 1) throw Retry();
    ++problems_made;
    return {rng.integer(0, 1000)};
  }
  static Status check(const Problem& problem) {
    if (problem.x < 0) return failure("\"x\": expected a number from 0 on, found {}", problem.x);
    return {};
  }
  static std::string prompt(const Problem& problem) { return fmt::format("2 * {}?", problem.x); }
  static std::optional<Answer> parse(std::string_view answer) { return parse_int64(answer); }
  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == 2 * problem.x);
  }
  static Answer solve(const Problem& problem) { return 2 * problem.x; }
  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, 1000); }
};

const Registry& registry() {
  static const Registry made = [] {
    Registry registry;
    (void)registry.add(std::make_shared<NativeEnvironment<Double>>());
    return registry;
  }();
  return made;
}

Expected<Verdict> score(const std::string& line, const RowOptions& options = {}) {
  const std::vector<std::string> lines{line};
  return score_rows(lines, {registry()}, options).front();
}

std::string error_of(const std::string& line) {
  const auto verdict = score(line);
  EXPECT_FALSE(verdict) << line;
  return verdict ? "" : verdict.error().message;
}

const std::string kRow = R"({"environment":"Double","parameter":{"x":4},"response":)";

TEST(Rows, AreScoredFromAParameterOrAnAddress) {
  EXPECT_TRUE(score(kRow + R"("so <answer>8</answer>"})")->solved);
  EXPECT_FALSE(score(kRow + R"("so <answer>9</answer>"})")->solved);
  EXPECT_EQ(*score(kRow + R"("8"})"), Verdict{});
  EXPECT_TRUE(score(kRow + R"(" 8 "})", {.raw = true})->solved);
  EXPECT_TRUE(score(kRow + R"("\\boxed{8}"})", {.marker = MarkerStyle::kBoxed})->solved);
  EXPECT_FALSE(score(kRow + R"("<answer>**8**</answer>"})")->solved);
  EXPECT_TRUE(
      score(kRow + R"("<answer>**8**</answer>"})", {.reading = AnswerReading::kTolerant})->solved);
  EXPECT_TRUE(
      score(kRow + R"("$8$"})", {.raw = true, .reading = AnswerReading::kTolerant})->solved);
  EXPECT_EQ(*score(kRow + R"("        8"})", {.raw = true, .max_bytes = 8}), Verdict{});

  const Environment& environment = **registry().get("Double");
  const ProblemAddress address = environment.address(0, 17, 5);
  const auto problem = environment.generate(0, 17, 5);
  const auto again = restore_row({&environment, address});
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->parameter(), (*problem)->parameter());
  const std::string row = fmt::format(R"({{"address":"{}","response":"<answer>{}</answer>"}})",
                                      address.to_string(), (*problem)->reference());
  EXPECT_TRUE(score(row)->solved);
}

// What generate writes, score reads.
TEST(Rows, ThatWereWrittenAreRead) {
  const Environment& environment = **registry().get("Double");
  const auto problem = environment.generate(0, 3);
  Json row = problem_row(environment.address(0, 3), **problem, PromptFormat{});
  row["response"] = "<answer>" + row["reference"].get<std::string>() + "</answer>";
  EXPECT_TRUE(score(dump_json(row))->solved);
  row.erase("address");
  EXPECT_TRUE(score(dump_json(row))->solved);
}

TEST(Rows, SayWhatIsWrongWithThem) {
  for (const char* other : {"[]", "3", "null", "\"text\"", "{\"address\":", "", "\xff"})
    EXPECT_FALSE(error_of(other).empty());
  EXPECT_THAT(error_of("{}"), HasSubstr("\"environment\""));
  EXPECT_THAT(error_of(R"({"environment":["Double"],"parameter":{}})"),
              HasSubstr("\"environment\""));
  EXPECT_THAT(error_of(R"({"environment":"Doubel","parameter":{}})"), HasSubstr("Double"));
  EXPECT_THAT(error_of(R"({"environment":"Double"})"), HasSubstr("\"parameter\""));
  EXPECT_THAT(error_of(R"({"environment":"Double","parameter":[]})"), HasSubstr("object"));
  EXPECT_THAT(error_of(R"({"environment":"Double","parameter":{"x":-1},"response":""})"),
              HasSubstr("\"x\""));
  EXPECT_THAT(error_of(R"({"environment":"Double","parameter":{"x":1e99},"response":""})"),
              HasSubstr("x"));
  EXPECT_THAT(error_of(kRow + "8}"), HasSubstr("\"response\""));
  EXPECT_THAT(error_of(R"({"environment":"Double","parameter":{"x":4}})"),
              HasSubstr("\"response\""));
  EXPECT_THAT(error_of(std::string(100000, '[')), HasSubstr("500 deep"));
}

// However the rows of one problem are mixed with those of others, verdicts are those of rows alone.
TEST(Rows, OfOneProblemShareIt) {
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    const char* kinds[] = {R"({{"address":"Double@3/0/{}/s5","response":"<answer>{}</answer>"}})",
                           R"({{"address":"Double@3/0/{}","response":"<answer>{}</answer>"}})",
                           R"({{"address":"Double@3/1/{}","response":"{}"}})",
                           R"({{"environment":"Double","parameter":{{"x":{}}},"response":"{}"}})"};
    lines.push_back(fmt::format(fmt::runtime(kinds[i % 7 % 4]), i % 3, i));
  }
  problems_made = 0;
  const auto together = score_rows(lines, {registry()}, {.threads = 1});
  EXPECT_EQ(problems_made, 6);  // 3 seeds with either salt
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(verdict_row(together[i]), verdict_row(score(lines[i]))) << lines[i];
}

TEST(Rows, RefuseAddressesThatNoLongerHold) {
  EXPECT_THAT(error_of(R"({"address":"Double@2/0/1","response":""})"),
              HasSubstr("this is version 3"));
  EXPECT_THAT(error_of(R"({"address":"Double@3/1/1","response":""})"),
              HasSubstr("Double@3/1/1: no problem could be generated (attempts"));
  EXPECT_THAT(error_of(R"({"address":"Double@3/7/1","response":""})"), HasSubstr("(level"));
  EXPECT_THAT(error_of(R"({"address":"Triple@3/0/1","response":""})"), HasSubstr("Triple"));
  EXPECT_FALSE(error_of(R"({"address":"Double","response":""})").empty());
}

// A suite's own environments need no registry, and the only one needs no name.
TEST(Rows, NameEnvironmentsOfTheirOwnFirst) {
  const NativeEnvironment<Double> own;
  const Environment* const only[] = {&own};
  const Registry empty;
  const std::vector<std::string> lines{R"({"parameter":{"x":4},"response":"<answer>8</answer>"})",
                                       kRow + R"("<answer>8</answer>"})"};
  for (const auto& verdict : score_rows(lines, {empty, only})) EXPECT_TRUE(verdict->solved);
  const auto read = read_row(*parse_json(lines[1]), {registry(), only});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->environment, &own);
}

TEST(Rows, AreTheSameForAnyNumberOfThreads) {
  std::vector<std::string> lines;
  for (int i = 0; i < 500; ++i) {
    lines.push_back(
        i % 7 == 0 ? std::string("{")
        : i % 2 == 0
            ? fmt::format(R"({{"address":"Double@3/{}/{}","response":"<answer>{}</answer>"}})",
                          i % 5 == 0, i % 40, i)
            : kRow + fmt::format(R"("<answer>{}</answer>"}})", i % 16));
  }
  std::vector<std::string> expected;
  for (const std::string& line : lines) expected.push_back(dump_json(verdict_row(score(line))));
  for (const int threads : {1, 2, 7}) {
    std::vector<std::string> rows;
    for (const auto& verdict : score_rows(lines, {registry()}, {.threads = threads}))
      rows.push_back(dump_json(verdict_row(verdict)));
    EXPECT_EQ(rows, expected) << threads;
  }
}

}  // namespace
}  // namespace redqueen
