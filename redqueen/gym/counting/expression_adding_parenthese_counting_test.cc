#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Carries out the operations one after the other, in every order.
void all_values(const std::vector<BigInt>& operands, const std::vector<std::string>& operations,
                std::set<BigInt>& found) {
  if (operations.empty()) found.insert(operands[0]);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    std::vector<BigInt> fewer = operands;
    std::vector<std::string> left = operations;
    const BigInt& a = operands[i];
    const BigInt& b = operands[i + 1];
    fewer[i] = operations[i] == "+" ? BigInt(a + b) : operations[i] == "-" ? BigInt(a - b) : a * b;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    all_values(fewer, left, found);
  }
}

std::size_t count_values(const Json& parameter) {
  std::vector<BigInt> operands;
  for (const Json& operand : parameter["operands"]) operands.emplace_back(operand.dump());
  std::set<BigInt> found;
  all_values(operands, parameter["operations"].get<std::vector<std::string>>(), found);
  return found.size();
}

TEST(Expression_AddingParenthese_Counting, AgreesWithAllOrdersOfTheOperations) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("Expression_AddingParenthese_Counting", static_cast<int>(seed % 5), seed);
    EXPECT_EQ(problem->reference(), std::to_string(count_values(problem->parameter())))
        << problem->prompt();
  }
}

TEST(Expression_AddingParenthese_Counting, CountsNumbersBeyond64Bits) {
  Json parameter{{"num_operands", 6},
                 {"operands", {1'000'003, 1'000'001, 999'983, 1, 1'000'000, 999'999}},
                 {"operations", {"*", "-", "*", "*", "-"}}};
  parameter["reference_answer"] = count_values(parameter);
  EXPECT_NE(restore_problem("Expression_AddingParenthese_Counting", dump_json(parameter)), nullptr);
}

}  // namespace
}  // namespace redqueen
