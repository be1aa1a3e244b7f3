#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// What is paid for every set of indices, against its sum.
TEST(SubsetSum, PaysForEverySetWithTheSumAndNoOther) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SubsetSum", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto numbers = parameter["A"].get<Numbers>();
    const auto target = parameter["target"].get<std::int64_t>();
    int solutions = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << numbers.size(); ++set) {
      Numbers indices;
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        indices.push_back(static_cast<std::int64_t>(i));
        sum += numbers[i];
      }
      EXPECT_EQ(problem->score(format_answer(indices)).reward, sum == target ? 1.0 : 0.0);
      solutions += sum == target;
    }
    EXPECT_GE(solutions, 1);
  }
}

TEST(SubsetSum, RefusesAProblemWithoutItsSolution) {
  const Environment& environment = *Registry::native().find("SubsetSum");
  for (const char* reference : {"0 1", "0 0", "0 3", "5", "x", ""}) {
    const Json parameter{
        {"N", 3}, {"A", {3, 2, 4}}, {"target", 6}, {"reference_answer", reference}};
    EXPECT_FALSE(environment.restore(parameter).has_value()) << reference;
  }
  EXPECT_TRUE(
      environment.restore({{"N", 3}, {"A", {3, 2, 4}}, {"target", 6}, {"reference_answer", "2 1"}})
          .has_value());
}

TEST(SubsetSum, IsNotSolvedByGreed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("SubsetSum", 2 + static_cast<int>(seed % 10), seed);
    for (const std::size_t rule : {0u, 2u, 3u}) {
      const NamedAnswer shortcut = problem->shortcuts()[rule];
      EXPECT_FALSE(problem->score(shortcut.answer).solved) << shortcut.rule << "\n"
                                                           << problem->prompt();
    }
  }
}

}  // namespace
}  // namespace redqueen
