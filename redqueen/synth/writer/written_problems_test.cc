#include "redqueen/synth/writer/written_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "redqueen/core/testing/episode_checks.h"

namespace redqueen::synth {
namespace {

const Environment& written_problems_written() {
  static const auto environment = written_problems(std::make_shared<sandbox::SandboxService>());
  return *environment;
}

ProblemPtr problem_at(int level, std::uint64_t seed, std::uint64_t salt = 0) {
  auto made = written_problems_written().generate(level, seed, salt);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? std::move(*made) : nullptr;
}

TEST(WrittenProblems, AreSolvedByTheirReferencesAlone) {
  for (std::uint64_t seed = 0; seed < 96; seed += 3) {
    const ProblemPtr problem = problem_at(static_cast<int>(seed % 3), seed);
    ASSERT_NE(problem, nullptr);
    EXPECT_TRUE(problem->score(problem->reference()).solved) << dump_json(problem->parameter());
    EXPECT_FALSE(problem->score("surely not").solved) << dump_json(problem->parameter());
    EXPECT_FALSE(problem->score(std::string("\xff\x00\x80 1", 5)).solved);
  }
}

TEST(WrittenProblems, AskDifferentThings) {
  std::set<std::string> sources;
  for (std::uint64_t seed = 0; seed < 64; ++seed)
    sources.insert(problem_at(0, seed)->parameter()["source"].get<std::string>());
  EXPECT_GE(sources.size(), 14u);
  EXPECT_LE(sources.size(), 16u);
  EXPECT_NE(problem_at(0, 1)->prompt(), problem_at(0, 1, 4)->prompt());
}

TEST(WrittenProblems, ComeBackFromTheirParameter) {
  const ProblemPtr problem = problem_at(2, 7);
  const auto again = written_problems_written().restore(problem->parameter());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->prompt(), problem->prompt());
  EXPECT_EQ((*again)->parameter(), problem->parameter());
  EXPECT_TRUE((*again)->score(problem->reference()).solved);
  EXPECT_EQ(problem_at(2, 7)->parameter(), problem->parameter());
}

TEST(WrittenProblems, KeepThePromisesOfEpisodes) {
  const Environment& environment = written_problems_written();
  for (const int level : {0, 2}) {
    for (const std::uint64_t seed : {1, 2})
      expect_sound_episodes(environment, environment.address(level, seed));
  }
}

TEST(WrittenProblems, SayWhatAParameterLacks) {
  using testing::HasSubstr;
  EXPECT_THAT(written_problems_written().restore(Json::array()).error().message,
              HasSubstr("source"));
  EXPECT_THAT(written_problems_written().restore({{"source", 3}}).error().message,
              HasSubstr("source"));
  EXPECT_THAT(written_problems_written().restore({{"source", "x = 1"}}).error().message,
              HasSubstr("problem"));
  EXPECT_THAT(
      written_problems_written().restore({{"source", "x = 1"}, {"problem", 2}}).error().message,
      HasSubstr("problem"));
}

}  // namespace
}  // namespace redqueen::synth
