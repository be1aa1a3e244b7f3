#include "redqueen/core/answer_limits.h"

#include <gtest/gtest.h>

#include "redqueen/core/batch.h"
#include "redqueen/core/registry.h"

namespace redqueen {
namespace {

ProblemPtr doubling() { return std::move(*Registry::native().find("Doubling")->generate(0, 1)); }

std::string padded(const std::string& answer, std::size_t bytes) {
  return answer + std::string(bytes - answer.size(), ' ');
}

TEST(AnswerLimits, MakeALongerAnswerMalformedAndCountIt) {
  const ProblemPtr problem = doubling();
  const std::string fits = padded(problem->reference(), kMaxAnswerBytes);
  const std::string longer = padded(problem->reference(), kMaxAnswerBytes + 1);
  const std::uint64_t before = cut_verdicts();
  for (const AnswerReading reading : {AnswerReading::kStrict, AnswerReading::kTolerant}) {
    EXPECT_TRUE(score_answer(*problem, fits, reading).solved);
    EXPECT_EQ(cut_verdicts() - before, reading == AnswerReading::kStrict ? 0u : 1u);
    EXPECT_EQ(score_answer(*problem, longer, reading), Verdict{});
  }
  const std::vector<AnswerRequest> requests{{problem.get(), fits}, {problem.get(), longer}};
  for (const AnswerReading reading : {AnswerReading::kStrict, AnswerReading::kTolerant}) {
    const auto verdicts = score_all(requests, {.reading = reading});
    EXPECT_TRUE(verdicts[0].solved);
    EXPECT_EQ(verdicts[1], Verdict{});
  }
  EXPECT_EQ(cut_verdicts() - before, 4u);
}

TEST(AnswerLimits, CountResponsesThatAreTooLong) {
  const ProblemPtr problem = doubling();
  const std::string response = "<answer>" + problem->reference() + "</answer>";
  const PromptFormat format = *PromptFormat::parse("plain");
  const std::uint64_t before = cut_verdicts();
  EXPECT_TRUE(score_completion(*problem, response, format, response.size()).solved);
  EXPECT_EQ(cut_verdicts(), before);
  EXPECT_EQ(score_completion(*problem, response, format, response.size() - 1), Verdict{});
  const std::vector<CompletionRequest> requests{{problem.get(), response}};
  EXPECT_EQ(score_completions(requests, format, response.size() - 1)[0], Verdict{});
  EXPECT_EQ(cut_verdicts() - before, 2u);
}

}  // namespace
}  // namespace redqueen
