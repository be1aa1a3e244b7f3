#include "redqueen/gym/common/sequence/ballot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace redqueen {
namespace {

TEST(Ballot, DrawsEveryWordAsOften) {
  Rng rng({.purpose = hash_name("ballot")});
  std::map<std::string, int> times;
  constexpr int kDraws = 14'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::string word = draw_ballot(4, '(', ')', rng);
    ASSERT_EQ(word.size(), 8u);
    int open = 0;
    for (const char c : word) ASSERT_GE(open += c == '(' ? 1 : -1, 0) << word;
    ASSERT_EQ(open, 0);
    ++times[word];
  }
  EXPECT_EQ(times.size(), 14u);
  for (const auto& [word, count] : times) EXPECT_NEAR(count, kDraws / 14, 150) << word;
}

}  // namespace
}  // namespace redqueen
