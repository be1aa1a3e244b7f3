#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

Json parameter(std::int64_t number, const BigInt& answer) {
  return {{"MAX_N", number}, {"N", number}, {"reference_answer", to_json(answer)}};
}

// Lists all sequences, one after the other.
int chains_from(int first) {
  int found = 1;
  for (int next = 1; 2 * next <= first; ++next) found += chains_from(next);
  return found;
}

TEST(HalvingChainCounting, AgreesWithAListOfAllSequences) {
  for (int number = 1; number <= 200; ++number) {
    EXPECT_NE(
        restore_problem("HalvingChainCounting", dump_json(parameter(number, chains_from(number)))),
        nullptr)
        << number;
  }
}

// The differences of neighbours of a sequence turn it into a sum of N or less from powers of two:
// coins are added one kind after the other.
TEST(HalvingChainCounting, AgreesWithSumsOfPowersOfTwo) {
  for (const int number : {1000, 52'597, 1'000'000}) {
    std::vector<BigInt> ways(static_cast<std::size_t>(number) + 1, 1);
    for (int coin = 2; coin <= number; coin *= 2) {
      for (int sum = coin; sum <= number; ++sum) ways[sum] += ways[sum - coin];
    }
    EXPECT_NE(restore_problem("HalvingChainCounting", dump_json(parameter(number, ways[number]))),
              nullptr)
        << number;
  }
}

}  // namespace
}  // namespace redqueen
