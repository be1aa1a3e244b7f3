#include "redqueen/recipes/genenv/task_builder.h"

#include <gtest/gtest.h>

#include <set>

#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/suites/testing/echo.h"

namespace redqueen::genenv {
namespace {

const NativeEnvironment<HiddenNumber> kHiddenNumber;

// Echo, but a simple rule solves the even numbers.
struct RuledEcho : RepeatNumber {
  static constexpr Card card{.name = "RuledEcho",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 5};
  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the even number below", std::to_string(problem.x / 2 * 2)}};
  }
};
const NativeEnvironment<RuledEcho> kRuledEcho;

// Its parameter lacks what its statement tells.
struct Forgetful : RepeatNumber {
  static constexpr Card card{.name = "Forgetful",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 5};
  struct Problem {
    std::int64_t x = 0;
    std::int64_t hidden = 0;
    REDQUEEN_FIELDS(x)
  };
  static Problem generate(const Config&, Rng& rng) { return {1, rng.integer(1, 1000)}; }
  static Status check(const Problem&) { return {}; }
  static std::string prompt(const Problem& problem) {
    return fmt::format("Say {}", problem.hidden);
  }
  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.hidden);
  }
  static Answer solve(const Problem& problem) { return problem.hidden; }
  static Answer random_answer(const Problem&, Rng&) { return 0; }
};
const NativeEnvironment<Forgetful> kForgetful;

// Its own answer is wrong.
struct Mistaken : RepeatNumber {
  static constexpr Card card{.name = "Mistaken",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 5};
  static Answer solve(const Problem& problem) { return problem.x + 1; }
};
const NativeEnvironment<Mistaken> kMistaken;

class Building : public testing::Test {
 protected:
  TaskBuilder builder() const {
    return {{&kEcho, &kHiddenNumber, &kRuledEcho, &kForgetful, &kMistaken},
            rules_,
            PromptFormat::parse("terse").value()};
  }
  Judged<Task> build(const std::string& text, std::uint64_t index = 0) const {
    auto description = read_description(text);
    if (!description) return tl::make_unexpected(description.error());
    return builder().build(*description, {.seed = 3, .purpose = 9, .index = index});
  }
  Refusal refusal_of(const std::string& text) const {
    const auto task = build(text);
    EXPECT_FALSE(task) << text;
    return task ? Refusal::kNoObject : task.error().reason;
  }

  TaskRules rules_{.max_level = 4, .salt = 77};
};

TEST_F(Building, DrawsAProblemOfTheLevel) {
  const auto task = build(R"({"environment": "Echo", "level": 3})");
  ASSERT_TRUE(task) << task.error().detail;
  EXPECT_GE(task->problem->parameter()["x"].get<std::int64_t>(), 1000);
  EXPECT_EQ(task->address.level, 3);
  EXPECT_EQ(task->address.salt, 77U) << "of the run: evaluation never draws it";
  const auto same = build(R"({"level": 3, "environment": "Echo"})");
  EXPECT_EQ(same->name(), task->name());
  EXPECT_NE(build(R"({"environment": "Echo", "level": 3})", 1)->name(), task->name());
}

TEST_F(Building, TakesTurnsIntoAccount) {
  const auto task = build(R"({"environment": "HiddenNumber", "level": 2})");
  ASSERT_TRUE(task) << task.error().detail;
  EXPECT_GE(task->solver_turns, 1);
  rules_.max_turns = 1;
  std::set<Refusal> reasons;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto one = build(R"({"environment": "HiddenNumber", "level": 4})", i);
    if (!one) reasons.insert(one.error().reason);
  }
  rules_.draws = 1;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto one = build(R"({"environment": "HiddenNumber", "level": 4})", i);
    if (!one) reasons.insert(one.error().reason);
  }
  EXPECT_EQ(reasons, std::set<Refusal>{Refusal::kUnsolvable});
}

TEST_F(Building, KeepsConstraintsOrSaysThatItCannot) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto task = build(R"({"environment": "Echo", "level": 1, "where": {"x": [40, 70]}})", i);
    ASSERT_TRUE(task) << task.error().detail;
    const auto x = task->problem->parameter()["x"].get<std::int64_t>();
    EXPECT_GE(x, 40);
    EXPECT_LE(x, 70);
  }
  EXPECT_EQ(refusal_of(R"({"environment": "Echo", "level": 1, "where": {"x": 5000}})"),
            Refusal::kUnsatisfied);
}

TEST_F(Building, RefusesWhatTeachesNothing) {
  using enum Refusal;
  EXPECT_EQ(refusal_of(R"({"environment": "Nowhere", "level": 1})"), kUnknown);
  EXPECT_EQ(refusal_of(R"({"environment": "Echo", "level": 5})"), kBadLevel) << "beyond the run's";
  EXPECT_EQ(refusal_of(R"({"environment": "Echo", "parameter": {"x": -3}})"), kImpossible);
  EXPECT_EQ(refusal_of(R"({"environment": "Echo", "parameter": {}})"), kImpossible);
  EXPECT_EQ(refusal_of(R"({"environment": "RuledEcho", "parameter": {"x": 8}})"), kTrivial);
  EXPECT_TRUE(build(R"({"environment": "RuledEcho", "parameter": {"x": 9}})"));
  EXPECT_EQ(refusal_of(R"({"environment": "Forgetful", "level": 0})"), kUnstable);
  EXPECT_EQ(refusal_of(R"({"environment": "Mistaken", "level": 0})"), kUnsolvable);
  // Echo tells its answer: a parameter of the policy's own making must not.
  EXPECT_EQ(refusal_of(R"({"environment": "Echo", "parameter": {"x": 123456789012}})"), kLeak);
  rules_.max_prompt_bytes = 8;
  EXPECT_EQ(refusal_of(R"({"environment": "Echo", "level": 4})"), kTooLarge);
  rules_.max_prompt_bytes = 1000;
  rules_.refuse_trivial = false;
  EXPECT_TRUE(build(R"({"environment": "RuledEcho", "parameter": {"x": 8}})"));
}

TEST_F(Building, PassesOverWhatIsKnown) {
  const TaskBuilder all = builder();
  const TaskDescription description{.environment = "Echo", .level = 0};
  std::set<std::uint64_t> known;
  int made = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto task = all.build(description, {.seed = 3, .index = i},
                                [&](std::uint64_t key) { return known.contains(key); });
    if (task) {
      EXPECT_TRUE(known.insert(task->key).second);
      ++made;
    } else {
      EXPECT_EQ(task.error().reason, Refusal::kKnown);
    }
  }
  EXPECT_EQ(made, 9) << "the numbers of one digit";
}

TEST_F(Building, RestoresWhatItWrote) {
  for (const std::string text : {R"({"environment": "Echo", "level": 2})",
                                 R"({"environment": "RuledEcho", "parameter": {"x": 9}})",
                                 R"({"environment": "HiddenNumber", "level": 3})"}) {
    const auto task = build(text);
    ASSERT_TRUE(task) << text;
    const auto again = builder().restore(parse_json(dump_json(task->write_json())).value());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->problem->parameter(), task->problem->parameter());
    EXPECT_EQ(again->name(), task->name());
    EXPECT_EQ(again->key, task->key);
    EXPECT_EQ(again->solver_turns, task->solver_turns);
  }
  EXPECT_FALSE(builder().restore(Json{{"environment", "Gone"}, {"level", 1}}));
  EXPECT_FALSE(builder().restore(Json{{"environment", "Echo"}, {"level", 1}}));
  EXPECT_FALSE(builder().restore(Json::array()));
}

}  // namespace
}  // namespace redqueen::genenv
