// The palindromic tree: the different palindromes in a string.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace redqueen {

// The tree of a string over the letters first … first + kLetters − 1. A node stands for one
// palindrome; its child by a letter has this letter around it. Every node comes after its parent
// and its link. M. Rubinchik and A. M. Shur, "EERTREE: an efficient data structure for processing
// palindromes in strings", 2015.
template <int kLetters>
class PalindromicTree {
 public:
  struct Node {
    int length = 0;
    int parent = 0;                     // the palindrome without its two ends
    int link = 0;                       // its longest ending that is a shorter palindrome
    int end = 0;                        // the place after its first occurrence in the string
    int occurrences = 0;                // of a palindrome with letters
    std::array<int, kLetters> child{};  // 0: none
  };

  static constexpr int kEmpty = 0;      // the empty palindrome, parent of "aa"
  static constexpr int kImaginary = 1;  // of length −1, parent of "a"
  static constexpr int kFirst = 2;      // the first node of a palindrome with letters

  // O(n) time and memory.
  explicit PalindromicTree(std::string_view s, char first = 'a') {
    nodes_.reserve(s.size() + 2);
    nodes_.push_back({.length = 0, .parent = kImaginary, .link = kImaginary});
    nodes_.push_back({.length = -1, .parent = kImaginary, .link = kImaginary});
    int longest = kEmpty;  // the longest palindrome that the string so far ends with
    for (int end = 0; end < static_cast<int>(s.size()); ++end) {
      const int letter = s[end] - first;
      const auto inside = [&](int node) {  // what can stand between this letter and its like
        while (end - nodes_[node].length - 1 < 0 || s[end - nodes_[node].length - 1] != s[end]) {
          node = nodes_[node].link;
        }
        return node;
      };
      const int parent = inside(longest);
      if (nodes_[parent].child[letter] == 0) {
        const int length = nodes_[parent].length + 2;
        const int link = length == 1 ? kEmpty : nodes_[inside(nodes_[parent].link)].child[letter];
        nodes_.push_back({.length = length, .parent = parent, .link = link, .end = end + 1});
        nodes_[parent].child[letter] = size() - 1;
      }
      longest = nodes_[parent].child[letter];
      ++nodes_[longest].occurrences;
    }
    // Wherever a palindrome ends, so does its link.
    for (int node = size() - 1; node >= kFirst; --node) {
      nodes_[nodes_[node].link].occurrences += nodes_[node].occurrences;
    }
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int node) const { return nodes_[node]; }

 private:
  std::vector<Node> nodes_;
};

}  // namespace redqueen
