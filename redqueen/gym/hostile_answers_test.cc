// No answer keeps a verifier of the gym busy: whatever its text, its verdict takes less than 50 ms
// of a processor's time.

#include <gtest/gtest.h>

#include <ctime>

#include "redqueen/core/answer_limits.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/testing/hostile_answers.h"

namespace redqueen {
namespace {

constexpr double kMostMilliseconds = 50;

double thread_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// Of several tries the shortest: whatever else runs on the machine empties caches.
double cost(const Problem& problem, const std::string& answer) {
  constexpr int kTries = 5;
  double least = 0;
  for (int i = 0; i < kTries; ++i) {
    const double begun = thread_milliseconds();
    const Verdict verdict = score_answer(problem, answer, AnswerReading::kTolerant);
    const double spent = thread_milliseconds() - begun;
    EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
    least = i == 0 ? spent : std::min(least, spent);
    if (least < kMostMilliseconds) break;
  }
  return least;
}

class HostileAnswers : public testing::TestWithParam<std::string> {
 protected:
  // Every `step`th of the answers, beginning with another one for every environment.
  void judge(const Problem& problem, const std::vector<HostileAnswer>& answers, std::size_t step) {
    for (std::size_t i = hash_name(GetParam()) % step; i < answers.size(); i += step) {
      EXPECT_LT(cost(problem, answers[i].text), kMostMilliseconds) << answers[i].name;
    }
  }
};

// The answers are dealt out: each environment is given some of them, and all of them are given to
// some.
TEST_P(HostileAnswers, AreJudgedSoon) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "only in release builds";
#endif
  static const std::vector<HostileAnswer> general = general_answers(kMaxAnswerBytes);
  const Environment& environment = *Registry::native().find(GetParam());
  for (const int level : {0, 5}) {
    const auto problem = environment.generate(std::min(level, environment.card().max_level), 1);
    ASSERT_TRUE(problem.has_value()) << problem.error().message;
    SCOPED_TRACE(testing::Message() << "level " << level);
    Rng rng({.seed = 1, .purpose = hash_name("hostile answers")});
    judge(**problem, answers_to(**problem, rng, kMaxAnswerBytes), level == 0 ? 16 : 4);
    judge(**problem, general, level == 0 ? 24 : 48);
  }
}

std::vector<std::string> native_names() {
  std::vector<std::string> names;
  for (const Environment* environment : Registry::native().all())
    names.emplace_back(environment->name());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Gym, HostileAnswers, testing::ValuesIn(native_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace redqueen
