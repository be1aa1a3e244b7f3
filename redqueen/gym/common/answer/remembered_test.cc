#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/core/environment.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace redqueen {
namespace {

TEST(Remembered, FindsOnce) {
  const Remembered<std::string> remembered;
  int found = 0;
  const auto find = [&] { return std::to_string(++found); };
  EXPECT_EQ(remembered.get(find), "1");
  EXPECT_EQ(remembered.get(find), "1");
  EXPECT_EQ(found, 1);
}

TEST(Remembered, MovesWithItsValue) {
  Remembered<std::string> from;
  from.get([] { return std::string("moved"); });
  const Remembered<std::string> to = std::move(from);
  EXPECT_EQ(to.get([] { return std::string("found again"); }), "moved");

  Remembered<std::string> replaced;
  replaced.get([] { return std::string("old"); });
  replaced = Remembered<std::string>();
  EXPECT_EQ(replaced.get([] { return std::string("new"); }), "new");
}

TEST(Remembered, GivesAllThreadsTheSameValue) {
  for (int round = 0; round < 50; ++round) {
    const Remembered<int> remembered;
    std::atomic<int> finds = 0;
    std::array<const int*, 4> seen{};
    {
      std::vector<std::jthread> threads;
      threads.reserve(seen.size());
      for (const int*& place : seen) {
        threads.emplace_back([&] { place = &remembered.get([&] { return ++finds; }); });
      }
    }
    for (const int* value : seen) EXPECT_EQ(value, seen[0]);
    EXPECT_GE(*seen[0], 1);
    EXPECT_LE(*seen[0], finds);
  }
}

// "What is twice x?", which counts how often it is solved.
struct Twice {
  static constexpr Card card{.name = "Twice",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Double a number.",
                             .levels = "None.",
                             .rewards = "1 if right, else 0."};
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
  // What is solved while the problem is drawn must not be remembered of the one that comes out.
  static Problem generate(const Config&, Rng& rng) {
    Problem problem{.x = rng.integer(1, 1000)};
    solve(problem);
    problem.x += 1000;
    return problem;
  }
  static Status check(const Problem&) { return {}; }
  static std::string prompt(const Problem& problem) { return fmt::format("Twice {}?", problem.x); }
  static double score(const Problem&, Answer answer, Answer right) {
    return exact_reward(answer == right);
  }
  static Answer solve(const Problem& problem) {
    ++solved;
    return 2 * problem.x;
  }
  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(2, 4000); }

  static inline std::atomic<int> solved = 0;
};
const Environment& twice() {
  static const NativeEnvironment<Remembering<Twice>> kTwice;
  return kTwice;
}

TEST(Remembering, SolvesAProblemOnceHoweverManyAnswersItGets) {
  const ProblemPtr problem = *twice().generate(0, 1);
  Twice::solved = 0;
  const std::string right = problem->reference();
  EXPECT_GT(std::stoi(right), 2000);
  EXPECT_TRUE(problem->score(right).solved);
  EXPECT_FALSE(problem->score("7").solved);
  EXPECT_EQ(Twice::solved, 1);
}

TEST(Remembering, AsksTheProblemAndNotItsParameterForTheRightAnswer) {
  const ProblemPtr problem = *twice().generate(0, 1);
  EXPECT_EQ(problem->parameter().size(), 1u);
  const auto restored = twice().restore(Json{{"x", 21}, {"measured", 43}});
  ASSERT_TRUE(restored.has_value());
  EXPECT_TRUE((*restored)->score("42").solved);
  EXPECT_FALSE((*restored)->score("43").solved);
}

// One whose answers are compared with something else than the right one.
struct AtMostTwice : Twice {
  static std::int64_t measure(const Problem& problem) { return 3 * problem.x; }
  static double score(const Problem&, Answer answer, std::int64_t thrice) {
    return exact_reward(answer < thrice);
  }
};

TEST(Remembering, ComparesWithWhatTheEnvironmentMeasures) {
  static const NativeEnvironment<Remembering<AtMostTwice>> kAtMostTwice;
  const auto problem = kAtMostTwice.restore(Json{{"x", 5}});
  EXPECT_EQ((*problem)->reference(), "10");
  EXPECT_TRUE((*problem)->score("14").solved);
  EXPECT_FALSE((*problem)->score("15").solved);
}

}  // namespace
}  // namespace redqueen
