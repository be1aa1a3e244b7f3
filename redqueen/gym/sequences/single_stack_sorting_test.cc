#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All outputs that n numbers can have, with the operations that make them.
void outputs(int n, int pushed, const std::string& done, const std::vector<std::int64_t>& stack,
             const std::vector<std::int64_t>& output,
             std::map<std::vector<std::int64_t>, std::string>& found) {
  if (static_cast<int>(output.size()) == n) {
    EXPECT_TRUE(found.try_emplace(output, done).second);
    return;
  }
  if (pushed < n) {
    std::vector<std::int64_t> higher = stack;
    higher.push_back(pushed);
    outputs(n, pushed + 1, done + 'a', higher, output, found);
  }
  if (!stack.empty()) {
    std::vector<std::int64_t> lower(stack.begin(), stack.end() - 1);
    std::vector<std::int64_t> longer = output;
    longer.push_back(stack.back());
    outputs(n, pushed, done + 'b', lower, longer, found);
  }
}

TEST(SingleStackSorting, FindsTheOnlyOperationsForEveryOutput) {
  for (int n = 1; n <= 7; ++n) {
    std::map<std::vector<std::int64_t>, std::string> found;
    outputs(n, 0, "", {}, {}, found);
    for (const auto& [output, operations] : found) {
      const auto problem = restore_problem("SingleStackSorting",
                                           dump_json(Json{{"N", n}, {"output_sequence", output}}));
      EXPECT_EQ(problem->reference(), operations);
    }
  }
}

TEST(SingleStackSorting, RefusesAnOrderThatNoStackMakes) {
  const auto json = parse_json(R"({"N": 3, "output_sequence": [2, 0, 1]})");
  EXPECT_FALSE(Registry::native().find("SingleStackSorting")->restore(*json));
}

TEST(SingleStackSorting, LetsTheFirstFaultDecide) {
  const auto problem =
      restore_problem("SingleStackSorting", R"({"N": 3, "output_sequence": [0, 2, 1]})");
  EXPECT_TRUE(problem->score("abaabb").solved);
  EXPECT_EQ(problem->score("bx").reward, kInvalidReward);
  EXPECT_EQ(problem->score("aaaax").reward, kInvalidReward);
  EXPECT_EQ(problem->score("aa b").reward, kMalformedReward);
  EXPECT_EQ(problem->score("ab").reward, kInvalidReward);
  EXPECT_DOUBLE_EQ(problem->score("ababab").reward, std::pow(1.0 / 3.0, 10));
}

}  // namespace
}  // namespace redqueen
