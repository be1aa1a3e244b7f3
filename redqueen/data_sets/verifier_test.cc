#include "redqueen/data_sets/verifier.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::data_sets {
namespace {

double reward(VerifierKind kind, std::string answer, std::string_view given,
              std::vector<std::string> options = {}) {
  const Verifier verifier{kind, std::move(answer), std::move(options)};
  EXPECT_TRUE(check(verifier).has_value());
  return verify(verifier, given).reward;
}

TEST(Verifier, ExactComparesWords) {
  EXPECT_EQ(reward(VerifierKind::kExact, "a  b", " a b\n"), 1);
  EXPECT_EQ(reward(VerifierKind::kExact, "a b", "A b"), 0);
  EXPECT_EQ(reward(VerifierKind::kExact, "a b", "ab"), 0);
  EXPECT_EQ(reward(VerifierKind::kExact, "a", "  "), -1);
}

TEST(Verifier, NumberComparesExactly) {
  for (const char* same : {"1234.5", "1,234.5", "1234.50", "2469/2", "1.2345e3", "+1234.5",
                           "$1,234.5", "1234.5.", "12345E-1", "01234.5", "\\boxed{1234.5}"}) {
    EXPECT_EQ(reward(VerifierKind::kNumber, "1234.5", same), 1) << same;
  }
  for (const char* other : {"1234", "1234.51", "-1234.5", "12345", "0", "1/2"})
    EXPECT_EQ(reward(VerifierKind::kNumber, "1234.5", other), 0) << other;
  for (const char* none : {"", "x", "1,23,4.5", "1,2345", ",123", "1..2", "1e", "1e99999999", "nan",
                           "inf", "0x10", "1/0", "1/2/3", "--1", "twelve"}) {
    EXPECT_EQ(reward(VerifierKind::kNumber, "1234.5", none), -1) << none;
  }
  // As answers to GSM8K are written. What would have to be computed is no number.
  for (const char* same : {"\\boxed{\\$18}", "\\boxed{18 \\text{ dollars}}", "\\boxed{\\text{18}}",
                           "18 dollars", "$18$", "18.00", "\\$18.00", "18\\%", "\\frac{36}{2}"}) {
    EXPECT_EQ(reward(VerifierKind::kNumber, "18", same), 1) << same;
  }
  EXPECT_EQ(reward(VerifierKind::kNumber, "-5", "−5"), 1);
  EXPECT_EQ(reward(VerifierKind::kNumber, "5", "−5"), 0);
  EXPECT_EQ(reward(VerifierKind::kNumber, "18", "\\boxed{17 \\text{ dollars}}"), 0);
  for (const char* computed : {"9+9", "2\\cdot 9", "3*6", "\\sqrt{324}", "18!", "2^4+2", "18x"})
    EXPECT_EQ(reward(VerifierKind::kNumber, "18", computed), -1) << computed;
  EXPECT_EQ(reward(VerifierKind::kNumber, "010", "10"), 1);
  EXPECT_EQ(reward(VerifierKind::kNumber, "-0.5", "-1/2"), 1);
}

TEST(Verifier, ChoiceReadsLettersAndTexts) {
  const std::vector<std::string> options{"Paris", "Rome", "a dog", "Oslo"};
  for (const char* right :
       {"B", "b", "(B)", "B.", "B) Rome", "(b) Rome", "Rome", "rome.", "Option B", "\\boxed{B}",
        "\\boxed{\\text{B}}", "**B**", "Answer: B", "$B$", "`B`", "[B]", "B,", "$b$"}) {
    EXPECT_EQ(reward(VerifierKind::kChoice, "B", right, options), 1) << right;
  }
  for (const char* wrong : {"A", "(C)", "Paris", "a dog", "D)"})
    EXPECT_EQ(reward(VerifierKind::kChoice, "B", wrong, options), 0) << wrong;
  for (const char* none : {"E", "Madrid", "5", "", "AB", "B or C"})
    EXPECT_EQ(reward(VerifierKind::kChoice, "B", none, options), -1) << none;
  EXPECT_EQ(reward(VerifierKind::kChoice, "a dog", "C", options), 1);
}

TEST(Verifier, RefusesWhatNoAnswerCouldMeet) {
  EXPECT_FALSE(check({VerifierKind::kExact, " ", {}}));
  EXPECT_FALSE(check({VerifierKind::kNumber, "many", {}}));
  EXPECT_FALSE(check({VerifierKind::kMath, std::string(5000, '1'), {}}));
  EXPECT_FALSE(check({VerifierKind::kChoice, "A", {"one"}}));
  EXPECT_FALSE(check({VerifierKind::kChoice, "C", {"one", "two"}}));
  EXPECT_FALSE(check({VerifierKind::kChoice, "A", std::vector<std::string>(27, "x")}));
}

TEST(Verifier, AnAnswerThatIsTooMuchWorkIsMalformed) {
  std::string answer = "\\sin x";
  for (int i = 0; i < 200; ++i) answer += "+\\sqrt x-\\sqrt x";
  const VerdictCounts before = verdict_counts();
  EXPECT_EQ(reward(VerifierKind::kMath, "\\sin x", answer), -1);
  EXPECT_EQ(reward(VerifierKind::kMath, "2^{100000}", "2^{100000}+1"), 0);
  const VerdictCounts after = verdict_counts();
  EXPECT_EQ(after.exhausted, before.exhausted + 1);
  const auto modular = static_cast<std::size_t>(Ground::kModular);
  EXPECT_EQ(after.by_ground[modular], before.by_ground[modular] + 1);
  EXPECT_GT(after.work, before.work);
}

TEST(Verifier, SurvivesAnyBytes) {
  const std::vector<Verifier> verifiers{{VerifierKind::kExact, "a", {}},
                                        {VerifierKind::kNumber, "1.5", {}},
                                        {VerifierKind::kMath, "\\frac{3}{2}", {}},
                                        {VerifierKind::kChoice, "B", {"x", "y"}}};
  Rng rng({.seed = 3, .purpose = hash_name("verifier_test")});
  for (int i = 0; i < 4'000; ++i) {
    std::string text;
    for (auto length = rng.integer(0, 40); length > 0; --length)
      text += static_cast<char>(rng.chance(0.7) ? rng.integer(32, 126) : rng.integer(0, 255));
    for (const Verifier& verifier : verifiers) {
      const Verdict verdict = verify(verifier, text);
      EXPECT_TRUE(verdict.reward == -1 || verdict.reward == 0 || verdict.reward == 1);
    }
  }
  for (const Verifier& verifier : verifiers) (void)verify(verifier, std::string(1 << 20, '9'));
}

}  // namespace
}  // namespace redqueen::data_sets
