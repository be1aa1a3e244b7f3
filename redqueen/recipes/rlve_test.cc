#include "redqueen/recipes/rlve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/recipes/evaluate.h"
#include "redqueen/recipes/scoring.h"
#include "redqueen/recipes/warm_start.h"

namespace redqueen {
namespace {

// "Repeat the number": a level adds a digit; level 3 cannot be generated at odd seeds.
struct Echo {
  static constexpr Card card{.name = "Echo",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 5};
  struct Config {
    int digits = 1;
    REDQUEEN_FIELDS(digits)
  };
  struct Problem {
    std::int64_t x = 0;
    REDQUEEN_FIELDS(x)
  };
  using Answer = std::int64_t;
  static Config at_level(int level, Rng&) { return {level + 1}; }
  static Problem generate(const Config& config, Rng& rng) {
    std::int64_t low = 1;
    for (int i = 1; i < config.digits; ++i) low *= 10;
    return {rng.integer(low, 10 * low - 1)};
  }
  static Status check(const Problem&) { return {}; }
  static std::string prompt(const Problem& problem) { return fmt::format("Repeat {}", problem.x); }
  static std::optional<Answer> parse(std::string_view answer) { return parse_int64(answer); }
  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.x);
  }
  static Answer solve(const Problem& problem) { return problem.x; }
  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, 9); }
};
const NativeEnvironment<Echo> kEcho;

// Repeats numbers of up to `digits` digits; longer ones, and every `lapse`-th answer, wrongly.
class ScriptedPolicy final : public Policy {
 public:
  explicit ScriptedPolicy(std::size_t digits, std::uint64_t lapse = 0)
      : digits_(digits), lapse_(lapse) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      prompts.push_back(request.prompt);
      std::string number = request.prompt.substr(7);
      number = number.substr(0, number.find('\n'));
      CompletionGroup group{.prompt_tokens = {1, 2, 3}};
      for (const RandomAddress& address : request.rollouts) {
        const bool right = number.size() <= digits_ && (lapse_ == 0 || address.salt % lapse_ != 0);
        group.completions.push_back({.text = right ? number + "</answer>" : "0</answer>",
                                     .tokens = {4, 5},
                                     .log_probs = {-0.5F, -0.5F}});
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::string_view name() const override { return "scripted"; }

  std::vector<std::string> prompts;

 private:
  std::size_t digits_;
  std::uint64_t lapse_;
};

TrainSettings settings() {
  TrainSettings settings;
  settings.policy.prompt_format = "terse";
  settings.batch = {.prompts = 4, .sampled_prompts = 8, .rollouts = 4, .max_rounds = 3};
  settings.curriculum.minimum_groups = 2;
  return settings;
}

Suite echo_suite() { return {.name = "echo", .environments = {&kEcho}}; }

TEST(Rlve, DropsGroupsWithoutVarianceAndReportsTheRatio) {
  ScriptedPolicy always_right(9);
  const auto recipe = make_rlve(settings(), echo_suite(), always_right);
  ASSERT_TRUE(recipe.has_value());
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch.has_value());
  EXPECT_TRUE(batch->groups.empty()) << "every group is solved throughout: nothing to learn";
  EXPECT_EQ(always_right.prompts.size(), 24u) << "three rounds of eight prompts";
  for (const MetricValue& value : batch->metrics) {
    if (value.name == metric::kEffectivePrompts) {
      EXPECT_EQ(value.value, 0.0);
    }
    if (value.name == metric::kSolved) {
      EXPECT_EQ(value.value, 1.0);
    }
    if (value.name == metric::kResponseTokens) {
      EXPECT_EQ(value.value, 2.0);
    }
  }

  ScriptedPolicy sometimes(9, 2);
  const auto mixed = make_rlve(settings(), echo_suite(), sometimes)->step(1);
  ASSERT_TRUE(mixed.has_value());
  EXPECT_EQ(mixed->groups.size(), 4u);
  for (const ScoredGroup& group : mixed->groups) {
    ASSERT_EQ(group.rollouts.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(group.rollouts[i].solved, i % 2 == 1);
  }
}

TEST(Rlve, ClimbsAsFarAsThePolicyCan) {
  ScriptedPolicy three_digits(3);
  const auto recipe = make_rlve(settings(), echo_suite(), three_digits);
  for (std::int64_t step = 1; step <= 30; ++step) {
    ASSERT_TRUE(recipe->step(step).has_value());
    recipe->after_update();
  }
  const CurriculumState state = recipe->curriculum().front();
  EXPECT_EQ(state.upper_level, 3)
      << "numbers of three digits are level 2, so level 3 is reached and stays";
}

TEST(Rlve, MakesTheSameStepFromItsNumberAlone) {
  ScriptedPolicy first(9, 2);
  ScriptedPolicy second(9, 2);
  const auto one = make_rlve(settings(), echo_suite(), first);
  const auto other = make_rlve(settings(), echo_suite(), second);
  for (std::int64_t step = 1; step <= 4; ++step) {
    ASSERT_TRUE(one->step(step).has_value());
    if (step == 3) {
      second.prompts.clear();
      ASSERT_TRUE(other->restore(one->state()).has_value());
    }
    if (step < 4) first.prompts.clear();
  }
  ASSERT_TRUE(other->step(4).has_value());
  EXPECT_EQ(first.prompts, second.prompts);
}

TEST(Rlve, SharesNoProblemWithEvaluationOrWarmStart) {
  EXPECT_NE(training_salt(1), 0u);
  EXPECT_NE(training_salt(1), training_salt(2));
  ScriptedPolicy policy(9, 2);
  const auto recipe = make_rlve(settings(), echo_suite(), policy);
  std::set<std::string> trained;
  for (std::int64_t step = 1; step <= 3; ++step) {
    const auto batch = recipe->step(step);
    ASSERT_TRUE(batch.has_value());
    for (const RolloutRecord& record : batch->rollouts) trained.insert(record.address);
  }
  for (const std::string& address : trained) {
    EXPECT_EQ(ProblemAddress::parse(address)->salt, training_salt(settings().run.seed));
  }
  EXPECT_GT(trained.size(), 10u);
}

TEST(Evaluate, CountsPerEnvironmentAndLevel) {
  ScriptedPolicy two_digits(2);
  const auto records =
      evaluate(two_digits, echo_suite(),
               {.levels = {0, 1, 2, 9}, .problems = 7, .format = *PromptFormat::parse("terse")});
  ASSERT_TRUE(records.has_value());
  ASSERT_EQ(records->size(), 3u) << "level 9 is beyond the highest";
  EXPECT_EQ((*records)[0].solved, 7);
  EXPECT_EQ((*records)[1].mean_reward, 1.0);
  EXPECT_EQ((*records)[2].solved, 0);
  EXPECT_EQ(total_of(*records).problems, 21);
  EXPECT_THAT(evaluation_table(*records), testing::HasSubstr("14/21"));
}

TEST(Scoring, CompletesEveryFormat) {
  const auto problem = kEcho.restore(Json{{"x", 42}});
  for (const char* name : {"plain", "boxed", "chatml", "think", "terse", "bare"}) {
    const auto format = PromptFormat::parse(name);
    ASSERT_TRUE(format.has_value());
    EXPECT_TRUE(score_completion(**problem, completion_for("42", *format), *format).solved) << name;
    EXPECT_FALSE(score_completion(**problem, completion_for("43", *format), *format).solved)
        << name;
    EXPECT_THAT(format->render("STATEMENT"), testing::HasSubstr("STATEMENT"));
  }
  EXPECT_FALSE(PromptFormat::parse("unknown").has_value());
  EXPECT_EQ(PromptFormat::parse("Q: {problem} A:")->render("x"), "Q: x A:");
}

TEST(WarmStart, TeachesReferenceAnswers) {
  const auto format = *PromptFormat::parse("terse");
  const auto pairs = reference_corpus(echo_suite(), {.levels = {0, 1}, .problems = 5}, format);
  ASSERT_EQ(pairs.size(), 10u);
  for (const TextPair& pair : pairs)
    EXPECT_EQ(pair.prompt, "Repeat " + pair.target.substr(0, pair.target.find('<')) + "\n<answer>");
  const auto more =
      reference_corpus(echo_suite(), {.levels = {1}, .problems = 5, .first = 5}, format);
  EXPECT_NE(more.front().prompt, pairs[5].prompt);
}

TEST(Suite, ReadsPublishedCollectionsAndNamesWhatIsMissing) {
  const auto unknown = load_suite("c5");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("c256"));
  const auto none = load_suite("c16");  // this test links no native environment
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, testing::HasSubstr("16"));
}

}  // namespace
}  // namespace redqueen
