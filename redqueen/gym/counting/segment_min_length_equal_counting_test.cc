#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// Cuts off every block at the end that fits.
bool is_good(const Numbers& array, std::size_t length) {
  if (length == 0) return true;
  std::int64_t least = array[length - 1];
  for (std::size_t block = 1; block <= length; ++block) {
    least = std::min(least, array[length - block]);
    if (least == static_cast<std::int64_t>(block) && is_good(array, length - block)) return true;
  }
  return false;
}

std::int64_t good_arrays(const Numbers& set, Numbers& array, std::size_t place) {
  if (place == array.size()) return is_good(array, place) ? 1 : 0;
  std::int64_t count = 0;
  for (const std::int64_t number : set) {
    array[place] = number;
    count += good_arrays(set, array, place + 1);
  }
  return count;
}

// Every set of numbers up to 6.
TEST(SegmentMinLengthEqual_Counting, AgreesWithAllArrays) {
  for (int n = 1; n <= 6; ++n) {
    for (std::uint32_t bits = 1; bits < std::uint32_t{1} << n; ++bits) {
      Numbers set;
      for (int x = 1; x <= n; ++x) {
        if ((bits >> (x - 1) & 1) == 1) set.push_back(x);
      }
      Numbers array(static_cast<std::size_t>(n));
      const std::int64_t right = good_arrays(set, array, 0);
      for (const int modulus : {3, 1'000'000}) {
        EXPECT_NE(restore_problem("SegmentMinLengthEqual_Counting",
                                  dump_json(Json{{"N", n},
                                                 {"S", set},
                                                 {"MOD", modulus},
                                                 {"reference_answer", right % modulus}})),
                  nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
