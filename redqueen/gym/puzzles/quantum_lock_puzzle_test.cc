#include <functional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All sequences of up to four presses, with integers that cannot overflow there.
TEST(QuantumLockPuzzle, SolvesSequencesThatEndAtTheTarget) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("QuantumLockPuzzle", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const int n = parameter["N"].get<int>();
    std::string presses;
    const std::function<void(std::int64_t, int)> press = [&](std::int64_t y, int count) {
      const bool right = y == parameter["Y_target"].get<std::int64_t>();
      EXPECT_EQ(problem->score(presses).solved, right) << presses;
      solved += right;
      if (count == 4) return;
      for (int button = 0; button < n; ++button) {
        const Json& rule = parameter["buttons"][button][count % 2];
        const auto number = rule[1].get<std::int64_t>();
        const std::size_t length = presses.size();
        presses += " " + std::to_string(button);
        press(rule[0] == "+" ? y + number : rule[0] == "-" ? y - number : y * number, count + 1);
        presses.resize(length);
      }
    };
    press(parameter["Y_start"].get<std::int64_t>(), 0);
  }
  EXPECT_GE(solved, 20);
}

TEST(QuantumLockPuzzle, FollowsNumbersOfAnySize) {
  const auto problem = restore_problem("QuantumLockPuzzle", R"({
      "N": 2, "Y_start": 1, "Y_target": 1, "buttons": [[["*", 3], ["*", 3]], [["-", 1], ["+", 1]]],
      "reference_answer": "1 1"})");
  std::string presses;
  for (int i = 0; i < 50'000; ++i) presses += "0 ";
  EXPECT_EQ(problem->score(presses).reward, 0.0);
  EXPECT_EQ(problem->score(presses + "2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 0 0 1").reward, 1.0);
  EXPECT_EQ(problem->score("").reward, 1.0);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_EQ(problem->score("-1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1, 0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
