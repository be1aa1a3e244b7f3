#include "redqueen/core/contract.h"
#include "redqueen/base/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include "redqueen/base/text.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/problem_address.h"
#include "redqueen/core/registry.h"
#include "redqueen/core/testing/repeat_number.h"

namespace redqueen {
namespace {

// An environment that misbehaves on request: its level says how.
struct Difficult : RepeatNumber {
  static inline int attempts = 0;  // since a test set it back
  static inline std::uint64_t draws = 0;

  static constexpr Card card{
      .name = "Difficult",
      .family = Family::kArithmetic,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Repeat a number.",
      .levels =
          "1 always retries, 2 draws for ever, 3 throws, 4 retries sometimes, 5 asks as 0 does.",
      .rewards = "1 if right, else 0.",
      .max_level = 5};
  static Problem generate(const Config& config, Rng& rng) {
    ++attempts;
    if (config.level == 1) throw Retry();
    for (; config.level == 2; ++draws) rng.bits();
    if (config.level == 3) throw std::logic_error("the promise is broken");
    if (config.level == 4 && rng.chance(0.9)) throw Retry();
    return {rng.integer(0, 1000)};
  }
  static double score(const Problem& problem, const Answer& answer) {
    return answer == 13 ? std::nan("") : exact_reward(answer == problem.x);
  }
};

const NativeEnvironment<Difficult> kContractNative;
const Environment& kDifficult = kContractNative;

// An answer that is off by one is near enough.
struct Lenient : RepeatNumber {
  static double score(const Problem& problem, const Answer& answer) {
    return 1.0 -
           0.25 * static_cast<double>(std::min<std::int64_t>(std::abs(answer - problem.x), 4));
  }
  static double passing(const Problem&) { return 0.75; }
};

GenerationFault fault_at(int level, GenerationLimits limits = {}) {
  const auto problem = kDifficult.generate(level, 1, 0, limits);
  EXPECT_FALSE(problem.has_value());
  return problem ? GenerationFault::kInternal : problem.error().fault;
}

TEST(Contract, BoundsGeneration) {
  EXPECT_TRUE(kDifficult.generate(0, 1).has_value());
  EXPECT_EQ(fault_at(1), GenerationFault::kAttempts);
  EXPECT_EQ(fault_at(2, {.draws_per_attempt = 1 << 16}), GenerationFault::kDraws);
  EXPECT_EQ(fault_at(3), GenerationFault::kInternal);
  EXPECT_EQ(fault_at(6), GenerationFault::kLevel);
  EXPECT_EQ(fault_at(-1), GenerationFault::kLevel);
  EXPECT_EQ(fault_at(1, {.attempts = 1 << 30, .seconds = 0.0}), GenerationFault::kTime);
}

TEST(Contract, AllowsAsManyAttemptsAndDrawsAsTheLimitsSay) {
  Difficult::attempts = 0;
  EXPECT_EQ(fault_at(1, {.attempts = 7}), GenerationFault::kAttempts);
  EXPECT_EQ(Difficult::attempts, 7);
  Difficult::draws = 0;
  EXPECT_EQ(fault_at(2, {.draws_per_attempt = 1 << 16}), GenerationFault::kDraws);
  EXPECT_EQ(Difficult::draws, 1U << 16);
}

TEST(Contract, RetriesWithFreshRandomness) {
  const auto problem = kDifficult.generate(4, 1);
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ((*problem)->prompt(), (*kDifficult.generate(4, 1))->prompt());
  // Nine of ten attempts ask for another one, which must not be the same.
  Difficult::attempts = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(kDifficult.generate(4, seed).has_value()) << seed;
  }
  EXPECT_GT(Difficult::attempts, 60);
}

TEST(Contract, SeparatesSaltsLevelsAndSeeds) {
  const std::string prompt = (*kDifficult.generate(0, 1))->prompt();
  EXPECT_NE((*kDifficult.generate(0, 2))->prompt(), prompt);
  EXPECT_NE((*kDifficult.generate(0, 1, 7))->prompt(), prompt);
  EXPECT_EQ((*kDifficult.generate(0, 1, 0))->prompt(), prompt);
  EXPECT_NE((*kDifficult.generate(5, 1))->prompt(), prompt) << "the levels differ by their number";
}

TEST(Contract, ScoresWithoutSurprises) {
  const auto problem = kDifficult.restore(Json{{"x", 13}});
  ASSERT_TRUE(problem.has_value());
#ifdef NDEBUG  // with assertions on, a reward that is not finite ends the program
  EXPECT_EQ((*problem)->score("13"), Verdict{});
#endif
  EXPECT_EQ((*problem)->score("12"),
            (Verdict{.reward = 0.0, .solved = false, .well_formed = true}));
  EXPECT_EQ((*problem)->score("twelve"), Verdict{});
  EXPECT_EQ(score_response(**problem, "12", MarkerStyle::kAnswerTag), Verdict{});
}

TEST(Contract, AsksAnEnvironmentWhatPasses) {
  const NativeEnvironment<Lenient> native;
  const auto problem = static_cast<const Environment&>(native).restore(Json{{"x", 13}});
  ASSERT_TRUE(problem.has_value());
  EXPECT_TRUE((*problem)->score("13").solved);
  EXPECT_EQ((*problem)->score("12"),
            (Verdict{.reward = 0.75, .solved = true, .well_formed = true}));
  EXPECT_EQ((*problem)->score("11"),
            (Verdict{.reward = 0.5, .solved = false, .well_formed = true}));
}

TEST(Contract, ChecksParametersFromOutside) {
  const auto message = [](const Json& json) { return kDifficult.restore(json).error().message; };
  EXPECT_EQ(message(Json{{"x", -1}}),
            "Difficult: parameter \"x\": expected a number from 0 on, found -1");
  EXPECT_EQ(message(Json::object()), "Difficult: parameter \"x\": missing");
  EXPECT_EQ(message(Json(1)), "Difficult: parameter expected a JSON object, found number");
}

TEST(ProblemAddress, ReadsBackWhatItWrites) {
  for (const auto& address :
       {ProblemAddress{"Sorting", 1, 3, 42, 0}, ProblemAddress{"A_b", 12, 0, ~0ULL, 0x7f}}) {
    const auto parsed = ProblemAddress::parse(address.to_string());
    ASSERT_TRUE(parsed.has_value()) << address.to_string();
    EXPECT_EQ(*parsed, address);
  }
  EXPECT_FALSE(ProblemAddress::parse(std::string_view("A@1/2/3/s1\0", 11)).has_value());
  for (const char* text :
       {"", "Sorting", "Sorting@1", "Sorting@1/2", "@1/2/3", "A@1/-2/3", "A@1/2/3/", "A@1/2/3/x",
        "A@1/2/3/s", "A@1/2/3/s7/", "A@1/2/99999999999999999999"}) {
    const auto parsed = ProblemAddress::parse(text);
    EXPECT_EQ(parsed.has_value(), std::string_view(text) == "A@1/2/3/") << text;
  }
}

TEST(Registry, ProposesTheNearestName) {
  Registry registry;
  ASSERT_TRUE(registry.add(std::make_shared<const NativeEnvironment<Difficult>>()));
  EXPECT_EQ(registry.add(std::make_shared<const NativeEnvironment<Difficult>>()).error().kind,
            ErrorKind::kUsage);
  EXPECT_TRUE(registry.get("Difficult").has_value());
  const auto missing = registry.get("dificult");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("did you mean Difficult?"));
  EXPECT_THAT(registry.get("zzzzzz").error().message,
              testing::Not(testing::HasSubstr("did you mean")));
}

}  // namespace
}  // namespace redqueen
