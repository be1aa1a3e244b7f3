#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Looks at the bits of every node; children of node i are 2i and 2i + 1, the root is 1.
std::string labels_of(const std::string& bits) {
  std::string labels;
  const std::function<void(std::size_t, std::size_t, std::size_t)> visit =
      [&](std::size_t node, std::size_t from, std::size_t size) {
        if (size > 1) {
          visit(2 * node, from, size / 2);
          visit(2 * node + 1, from + size / 2, size / 2);
        }
        const auto end = bits.begin() + static_cast<std::ptrdiff_t>(from + size);
        const auto ones = std::count(bits.begin() + static_cast<std::ptrdiff_t>(from), end, '1');
        labels += ones == 0 ? 'B' : ones == static_cast<std::ptrdiff_t>(size) ? 'I' : 'F';
      };
  visit(1, 0, bits.size());
  return labels;
}

TEST(FBI_BinaryTree, CountsTheBitsOfEveryNode) {
  for (int exponent = 1; exponent <= 3; ++exponent) {
    const int length = 1 << exponent;
    for (unsigned value = 0; value < 1u << length; ++value) {
      std::string bits;
      for (int i = 0; i < length; ++i) bits += (value >> i & 1) != 0 ? '1' : '0';
      const auto problem = restore_problem(
          "FBI_BinaryTree", fmt::format(R"({{"N": {}, "string": "{}"}})", exponent, bits));
      EXPECT_EQ(problem->reference(), labels_of(bits));
    }
  }
  const auto problem = make_problem("FBI_BinaryTree", 6, 1);
  EXPECT_EQ(problem->reference(), labels_of(problem->parameter()["string"]));
}

TEST(FBI_BinaryTree, PaysByThePlaces) {
  const auto problem = restore_problem("FBI_BinaryTree", R"({"N": 1, "string": "01"})");
  EXPECT_TRUE(problem->score("BIF").solved);
  EXPECT_DOUBLE_EQ(problem->score("BBF").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("BI").reward, kInvalidReward);
  EXPECT_EQ(problem->score("B I F").reward, kInvalidReward);
  EXPECT_EQ(problem->score("bif").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
