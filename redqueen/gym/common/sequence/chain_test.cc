#include "redqueen/gym/common/sequence/chain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

bool fits(std::int64_t before, std::int64_t after, Equal equal) {
  return equal == Equal::kBreaks ? before < after : before <= after;
}

// By the quadratic definition.
std::vector<int> lengths_by_pairs(const std::vector<std::int64_t>& values, Equal equal) {
  std::vector<int> lengths;
  for (std::size_t i = 0; i < values.size(); ++i) {
    int longest = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (fits(values[j], values[i], equal)) longest = std::max(longest, lengths[j]);
    }
    lengths.push_back(longest + 1);
  }
  return lengths;
}

TEST(Chain, IsAsLongAsByAllPairs) {
  Rng rng({.purpose = hash_name("chain")});
  for (int round = 0; round < 500; ++round) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(rng.integer(0, 30)));
    for (std::int64_t& value : values) value = rng.integer(-5, 15);
    for (const Equal equal : {Equal::kBreaks, Equal::kKeeps}) {
      const std::vector<int> lengths = lengths_by_pairs(values, equal);
      EXPECT_EQ(chain_lengths(values, equal), lengths);
      const std::int64_t longest = lengths.empty() ? 0 : *std::ranges::max_element(lengths);
      EXPECT_EQ(longest_chain_length(values, equal), longest);
      const std::vector<std::int64_t> places = longest_chain(values, equal);
      ASSERT_EQ(std::ssize(places), longest);
      for (std::size_t i = 1; i < places.size(); ++i) {
        EXPECT_LT(places[i - 1], places[i]);
        EXPECT_TRUE(fits(values[places[i - 1]], values[places[i]], equal));
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
