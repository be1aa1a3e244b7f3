#include "redqueen/gym/common/string/borders.h"

#include <gtest/gtest.h>

#include <string>

namespace redqueen {
namespace {

// The lengths of the borders of s, longest first, by comparison.
std::vector<int> compared(const std::string& s) {
  std::vector<int> borders;
  for (int length = static_cast<int>(s.size()) - 1; length > 0; --length) {
    if (s.starts_with(s.substr(s.size() - length))) borders.push_back(length);
  }
  return borders;
}

TEST(Borders, AreThoseThatComparisonFinds) {
  for (int n = 0; n <= 12; ++n) {
    for (int bits = 0; bits < 1 << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? 'b' : 'a';
      const std::vector<int> expected = compared(s);
      ASSERT_EQ(all_borders(s), expected) << s;
      const std::vector<int> lengths = border_lengths(s);
      ASSERT_EQ(std::ssize(lengths), n + 1);
      for (int length = 0; length <= n; ++length) {
        const std::vector<int> of_beginning = compared(s.substr(0, length));
        ASSERT_EQ(lengths[length], of_beginning.empty() ? 0 : of_beginning[0]) << s << length;
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
