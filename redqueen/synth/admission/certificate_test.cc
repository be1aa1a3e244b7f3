#include "redqueen/synth/admission/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/core/batch.h"
#include "redqueen/synth/admission/funnel.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/testing/sandbox.h"

namespace redqueen::synth {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

std::vector<ProblemPtr> problems_of(const PythonEnvironment& environment, int count) {
  std::vector<ProblemRequest> requests;
  for (int i = 0; i < count; ++i)
    requests.push_back({&environment, i % 3, static_cast<std::uint64_t>(i), 1});
  std::vector<ProblemPtr> problems;
  for (auto& problem : generate_all(requests)) problems.push_back(std::move(*problem));
  return problems;
}

TEST(ShortcutTest, FindsTheOneThatSolvesATask) {
  const PythonEnvironment environment(
      "class Largest(VerifiableEnvironment):\n"
      "    prompt_template = 'Which is the largest of {n}?'\n"
      "    def _generate(self, seed, difficulty):\n"
      "        r = Random(seed)\n"
      "        self.n = [r.randint(-50, 50) for _ in range(4 + difficulty)]\n"
      "        self.ref_answer = max(self.n)\n"
      "    def _prompt_generate(self):\n"
      "        return self.prompt_template.format(n=' '.join(map(str, self.n)))\n"
      "    def _process(self, response):\n"
      "        return parse_int(response)\n"
      "    def scorer(self, parsed):\n"
      "        return 1.0 if parsed == self.ref_answer else 0.0\n",
      shared_sandbox());
  const auto problems = problems_of(environment, 12);
  const auto shortcuts = try_shortcuts(problems);
  ASSERT_FALSE(shortcuts.empty());
  EXPECT_EQ(shortcuts.front().name, "the largest number of the prompt");
  EXPECT_EQ(shortcuts.front().solved, 12);
  EXPECT_EQ(shortcuts.front().tried, 12);
  EXPECT_LT(shortcuts[1].solved, 12);
}

TEST(ShortcutTest, NoneSolvesASeedThatAsksForWork) {
  const PythonEnvironment environment(seed_source("fibonacci"), shared_sandbox());
  for (const Shortcut& shortcut : try_shortcuts(problems_of(environment, 12)))
    EXPECT_LE(shortcut.solved, 3) << shortcut.name;
  EXPECT_EQ(try_shortcuts({}).front().tried, 0);
}

TEST(CertificateTest, SaysWhatIsKnown) {
  EnvironmentCandidate candidate;
  candidate.report.layer = 5;
  const Json bare = certificate_of(candidate, "model");
  EXPECT_TRUE(bare["second_authors"].is_null());
  EXPECT_EQ(bare["answers"], "unknown");
  EXPECT_THAT(certificate_lines(bare), Contains(Pair("layers passed", "5 of 5")));

  candidate.review.emplace();
  candidate.review->verdicts = {ReviewVerdict{}, std::nullopt};
  candidate.second = SecondOpinion{.verdict = SecondVerdict::kConfirmed,
                                   .programs = 3,
                                   .speaking = 2,
                                   .agreeing = 2,
                                   .instances = 30};
  candidate.calibration = {.instances = 2, .solved = 1, .levels = {{0, {1, 1}}, {2, {1, 0}}}};
  candidate.shortcuts = {{"always 0", 24, 2}, {"always 1", 24, 0}, {"unused", 0, 0}};
  const Json whole = certificate_of(candidate, "small-model");
  EXPECT_EQ(whole["answers"], "one");
  EXPECT_EQ(whole["shortcuts"].size(), 2u);
  const auto lines = certificate_lines(whole);
  EXPECT_THAT(lines, Contains(Pair("review", "1 of 2 accept")));
  EXPECT_THAT(lines, Contains(Pair("second authors", HasSubstr("confirmed: 2 of 3 programs"))));
  EXPECT_THAT(lines, Contains(Pair("solved", "level 0: 1 of 1, level 2: 0 of 1 (small-model)")));
  EXPECT_THAT(lines, Contains(Pair("best shortcut", HasSubstr("always 0: 2 of 24"))));
  candidate.second->several_answers = true;
  EXPECT_EQ(certificate_of(candidate, "")["answers"], "several");
  EXPECT_TRUE(certificate_lines(Json::object()).empty());
  EXPECT_TRUE(certificate_lines(Json()).empty());
}

}  // namespace
}  // namespace redqueen::synth
