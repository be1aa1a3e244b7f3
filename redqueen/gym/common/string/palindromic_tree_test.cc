#include "redqueen/gym/common/string/palindromic_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

using Tree = PalindromicTree<2>;

bool reads_backwards(const std::string& s) { return std::equal(s.begin(), s.end(), s.rbegin()); }

// The palindrome of each node, from its path.
std::vector<std::string> palindromes(const Tree& tree) {
  std::vector<std::string> found(static_cast<std::size_t>(tree.size()));
  for (int node = Tree::kFirst; node < tree.size(); ++node) {
    const int parent = tree[node].parent;
    EXPECT_LT(parent, node);
    EXPECT_LT(tree[node].link, node);
    const char c = tree[parent].child[0] == node ? 'a' : 'b';
    found[node] = parent == Tree::kImaginary ? std::string(1, c) : c + found[parent] + c;
  }
  return found;
}

TEST(PalindromicTree, HoldsEachPalindromeOnce) {
  Rng rng({.purpose = hash_name("palindromes")});
  for (int round = 0; round < 300; ++round) {
    std::string s;
    const std::int64_t n = rng.integer(0, 30);
    for (int i = 0; i < n; ++i) s += rng.chance(0.6) ? 'a' : 'b';
    std::set<std::string> expected;
    for (std::size_t i = 0; i < s.size(); ++i) {
      for (std::size_t length = 1; i + length <= s.size(); ++length) {
        if (reads_backwards(s.substr(i, length))) expected.insert(s.substr(i, length));
      }
    }
    const Tree tree(s);
    const std::vector<std::string> found = palindromes(tree);
    EXPECT_EQ(std::set<std::string>(found.begin() + Tree::kFirst, found.end()), expected) << s;
    EXPECT_EQ(std::ssize(found) - Tree::kFirst, std::ssize(expected)) << s;
    for (int node = Tree::kFirst; node < tree.size(); ++node) {
      const std::string& whole = found[node];
      EXPECT_EQ(tree[node].length, std::ssize(whole));
      EXPECT_EQ(tree[node].end - tree[node].length, static_cast<int>(s.find(whole)));
      int occurrences = 0;
      for (std::size_t at = s.find(whole); at != std::string::npos; at = s.find(whole, at + 1)) {
        ++occurrences;
      }
      EXPECT_EQ(tree[node].occurrences, occurrences) << whole;
      std::size_t begin = 1;
      while (!reads_backwards(whole.substr(begin))) ++begin;
      EXPECT_EQ(found[tree[node].link], whole.substr(begin)) << whole;
    }
  }
}

}  // namespace
}  // namespace redqueen
