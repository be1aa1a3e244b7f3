#include "redqueen/base/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

// The definition, without a table: exponential time.
std::size_t distance_by_definition(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return std::max(a.size(), b.size());
  const std::size_t last = distance_by_definition(a.substr(1), b.substr(1));
  return std::min({last + (a[0] == b[0] ? 0 : 1), distance_by_definition(a.substr(1), b) + 1,
                   distance_by_definition(a, b.substr(1)) + 1});
}

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "Sitting"), 3u);
  EXPECT_EQ(edit_distance("same", "SAME"), 0u);
  Rng rng({.purpose = hash_name("edit distance")});
  const auto word = [&] {
    std::string text(rng.below(6), ' ');
    for (char& c : text) c = "abc"[rng.below(3)];
    return text;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string a = word(), b = word();
    EXPECT_EQ(edit_distance(a, b), distance_by_definition(a, b)) << a << " " << b;
  }
}

std::string proposal_for(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames{"batch", "colour", "path", "bath"};
  return did_you_mean(name, kNames);
}

TEST(DidYouMean, ProposesANameUpToTwoEditsAway) {
  EXPECT_EQ(proposal_for("colur"), " (did you mean colour?)");
  EXPECT_EQ(proposal_for("kolor"), " (did you mean colour?)");
  EXPECT_EQ(proposal_for("kelur"), "") << "three edits";
  EXPECT_EQ(proposal_for("math"), " (did you mean path?)") << "the first of those that are nearest";
  EXPECT_EQ(proposal_for(""), "");
}

TEST(DidYouMean, ProposesWhatThreeLettersBegin) {
  EXPECT_EQ(proposal_for("col"), " (did you mean colour?)");
  EXPECT_EQ(proposal_for("COL"), " (did you mean colour?)");
  EXPECT_EQ(proposal_for("co"), "") << "two letters begin too much";
  EXPECT_EQ(proposal_for("c"), "");
}

}  // namespace
}  // namespace redqueen
