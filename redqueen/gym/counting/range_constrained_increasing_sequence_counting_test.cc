#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// Writes down every sequence, entry by entry.
std::int64_t sequences(const Numbers& left, const Numbers& right, std::size_t place,
                       std::int64_t largest) {
  if (place == left.size()) return largest > 0 ? 1 : 0;
  std::int64_t count = sequences(left, right, place + 1, largest);  // a zero
  for (std::int64_t v = left[place]; v <= right[place]; ++v) {
    if (v > largest) count += sequences(left, right, place + 1, v);
  }
  return count;
}

TEST(RangeConstrained_IncreasingSequence_Counting, AgreesWithAllSequences) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("RangeConstrained_IncreasingSequence_Counting",
                                      static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), format_answer(sequences(parameter["L"].get<Numbers>(),
                                                            parameter["R"].get<Numbers>(), 0, 0)));
  }
}

// Equal intervals 1 … m: subsets of places and values of the same size, by Vandermonde C(n + m, n)
// of them, less the empty ones.
TEST(RangeConstrained_IncreasingSequence_Counting, ReducesLargeCounts) {
  BigInt choices = 1;
  for (int i = 1; i <= 20; ++i) choices = choices * (60 - i + 1) / i;  // C(60, 20)
  const BigInt right = (choices - 1) % 1'000'000'007;
  EXPECT_NE(restore_problem("RangeConstrained_IncreasingSequence_Counting",
                            dump_json(Json{{"N", 20},
                                           {"L", Numbers(20, 1)},
                                           {"R", Numbers(20, 40)},
                                           {"reference_answer", right.convert_to<int>()}})),
            nullptr);
}

}  // namespace
}  // namespace redqueen
