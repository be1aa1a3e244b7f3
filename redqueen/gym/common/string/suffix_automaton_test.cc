#include "redqueen/gym/common/string/suffix_automaton.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(SuffixAutomaton, KnowsHowOftenEachPieceOccurs) {
  Rng rng({.purpose = hash_name("pieces")});
  for (int round = 0; round < 200; ++round) {
    std::string s;
    const std::int64_t n = rng.integer(0, 40);
    for (int i = 0; i < n; ++i) s += static_cast<char>('x' + rng.below(round % 2 == 0 ? 2 : 3));
    std::map<std::string, std::int64_t> occurrences;
    for (std::size_t i = 0; i < s.size(); ++i) {
      for (std::size_t length = 1; i + length <= s.size(); ++length) {
        ++occurrences[s.substr(i, length)];
      }
    }
    const SuffixAutomaton<3> automaton(s, 'x');
    std::int64_t pieces = 0;
    for (int state = 1; state < automaton.size(); ++state) {
      pieces += automaton[state].length - automaton[automaton[state].link].length;
    }
    EXPECT_EQ(pieces, std::ssize(occurrences)) << s;
    std::vector<std::string> longest(static_cast<std::size_t>(automaton.size()));
    for (const auto& [piece, count] : occurrences) {
      int state = SuffixAutomaton<3>::kRoot;
      for (const char c : piece) {
        ASSERT_GE(state, 0) << piece << " of " << s;
        state = automaton[state].next[c - 'x'];
      }
      ASSERT_GE(state, 0) << piece << " of " << s;
      EXPECT_EQ(automaton[state].occurrences, count) << piece << " of " << s;
      if (piece.size() > longest[state].size()) longest[state] = piece;
    }
    for (int state = 0; state < automaton.size(); ++state) {
      std::int64_t endings = 0;
      for (std::string rest = longest[state]; !rest.empty(); rest.erase(0, 1)) {
        endings += occurrences.at(rest);
      }
      EXPECT_EQ(automaton[state].endings, endings) << longest[state] << " of " << s;
    }
  }
}

}  // namespace
}  // namespace redqueen
