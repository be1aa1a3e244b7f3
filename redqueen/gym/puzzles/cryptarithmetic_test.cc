#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The digits of the three numbers of a prompt, most significant first.
std::vector<std::vector<int>> written_numbers(const std::string& prompt) {
  std::vector<std::vector<int>> numbers;
  const std::size_t begin = prompt.find("is right:\n") + 10;
  const std::size_t end = prompt.find("\nFind", begin);
  numbers.emplace_back();
  for (std::size_t i = begin; i < end; ++i) {
    if (prompt[i] == '\n') numbers.emplace_back();
    if (prompt[i] == '[') numbers.back().push_back(std::stoi(prompt.substr(i + 1)));
  }
  return numbers;
}

// All values: those that make the printed numbers add up are solved, and no others.
TEST(Cryptarithmetic, SolvesWhatAddsUp) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const int n = 3 + static_cast<int>(seed % 4);
    const auto problem = make_problem("Cryptarithmetic", n - 3, seed);
    const auto numbers = written_numbers(problem->prompt());
    ASSERT_EQ(numbers.size(), 3u);
    std::vector<std::int64_t> values(n);
    for (int i = 0; i < n; ++i) values[i] = i;
    do {
      std::vector<BigInt> value;
      for (const auto& number : numbers) {
        value.emplace_back(0);
        for (const int digit : number) value.back() = value.back() * n + values[digit];
      }
      const bool right = value[0] + value[1] == value[2];
      EXPECT_EQ(problem->score(format_answer(values)).solved, right) << problem->prompt();
      solved += right;
    } while (std::ranges::next_permutation(values).found);
  }
  EXPECT_GE(solved, 40);
}

// d[2] + d[2] = d[1] is wrong if d[2] is 3 and d[1] is 2, though the last place is right.
TEST(Cryptarithmetic, CountsAPlaceThatIsNotPrinted) {
  const auto problem = restore_problem(
      "Cryptarithmetic",
      R"({"N": 4, "digits": [3, 2, 1, 0], "addend_1": [1], "addend_2": [1], "sum_result": [2]})");
  EXPECT_EQ(problem->score("3 2 1 0").reward, 1.0);
  EXPECT_EQ(problem->score("0 2 3 1").reward, 1.0 / 8);
  EXPECT_EQ(problem->score("0 2 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
