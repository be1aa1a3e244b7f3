#include "redqueen/gym/common/sequence/palindromes.h"

#include <gtest/gtest.h>

#include <string>

namespace redqueen {
namespace {

TEST(Palindromes, AreFoundInEveryString) {
  for (int n = 0; n <= 10; ++n) {
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? 'b' : 'a';
      const std::vector<int> lengths = palindrome_lengths(s);
      ASSERT_EQ(lengths.size(), 2 * s.size() + 1);
      for (int first = 0; first <= n; ++first) {
        for (int end = first; end <= n; ++end) {
          const std::string piece = s.substr(first, end - first);
          const bool mirrored = piece == std::string(piece.rbegin(), piece.rend());
          ASSERT_EQ(is_palindrome(lengths, first, end), mirrored) << s << ' ' << piece;
        }
      }
    }
  }
}

// Pieces whose second half is the complement of the first one, backwards.
TEST(Palindromes, MayMirrorOtherCharacters) {
  for (std::uint32_t bits = 0; bits < 1u << 9; ++bits) {
    std::string s;
    for (int i = 0; i < 9; ++i) s += (bits >> i & 1) != 0 ? 'b' : 'a';
    const std::vector<int> lengths = mirrored_lengths(s, std::not_equal_to<char>());
    for (int first = 0; first <= 9; ++first) {
      for (int end = first; end <= 9; ++end) {
        bool mirrored = true;
        for (int i = first, j = end - 1; i <= j; ++i, --j) mirrored = mirrored && s[i] != s[j];
        ASSERT_EQ(is_palindrome(lengths, first, end), mirrored) << s << ' ' << first << ' ' << end;
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
