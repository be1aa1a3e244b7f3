#include <algorithm>
#include <map>
#include <sstream>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The equations of a prompt: two letters and their sum.
std::vector<std::array<std::string, 3>> equations(const std::string& prompt) {
  std::vector<std::array<std::string, 3>> found;
  std::istringstream lines(prompt);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string x, plus, y, equals, sum, rest;
    if (words >> x >> plus >> y >> equals >> sum && plus == "+" && equals == "=" &&
        !(words >> rest)) {
      found.push_back({x, y, sum});
    }
  }
  return found;
}

// Tries all values: the prompt has one solution, which is the reference.
TEST(AdditionTable, HasOneSolution) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto problem = make_problem("AdditionTable", static_cast<int>(seed % 4), seed);
    const auto table = equations(problem->prompt());
    const int n = 3 + static_cast<int>(seed % 4);
    ASSERT_EQ(table.size(), static_cast<std::size_t>(n * (n + 1) / 2));
    std::vector<std::int64_t> values(n);
    for (int i = 0; i < n; ++i) values[i] = i;
    std::vector<std::string> solutions;
    do {
      const auto value = [&](const std::string& digits) {
        std::int64_t number = 0;
        for (const char c : digits) number = number * n + values[c - 'a'];
        return number;
      };
      if (std::ranges::all_of(table, [&](const auto& equation) {
            const auto& [x, y, sum] = equation;
            return value(x) + value(y) == value(sum) && (sum.size() == 1 || values[sum[0] - 'a']);
          })) {
        solutions.push_back(fmt::format("{} {}", n, format_answer(values)));
      }
    } while (std::ranges::next_permutation(values).found);
    EXPECT_EQ(solutions, std::vector<std::string>{problem->reference()}) << problem->prompt();
  }
}

TEST(AdditionTable, PaysForLettersThatAreRight) {
  const auto problem =
      restore_problem("AdditionTable", R"({"N": 3, "digit2letter": ["b", "a", "c"]})");
  EXPECT_EQ(problem->score("3 1 0 2").reward, 1.0);
  EXPECT_NEAR(problem->score("3 1 0 0").reward, 8.0 / 27, 1e-12);
  EXPECT_EQ(problem->score("4 1 0 2").reward, 0.0);
  EXPECT_EQ(problem->score("3 1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("b a c").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
