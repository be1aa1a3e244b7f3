#include "redqueen/gym/common/worlds/words.h"

#include <gtest/gtest.h>

#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(Words, NormaliseWhatTwoSpellingsShare) {
  EXPECT_EQ(normalised("  The  Old-Mill,\n of A Miller's "), "old mill of millers");
  EXPECT_EQ(normalised("Theodor"), "theodor");
  EXPECT_EQ(normalised("Miller\xe2\x80\x99s"), "millers");
  EXPECT_EQ(normalised("1,912."), "1 912");
  EXPECT_EQ(normalised("\xc3\x89lan"), "\xc3\x89lan");
  EXPECT_EQ(normalised("a an the"), "");
}

TEST(Words, ListAsASentenceDoes) {
  EXPECT_EQ(enumeration(std::vector<std::string>{}), "");
  EXPECT_EQ(enumeration(std::vector<std::string>{"x"}), "x");
  EXPECT_EQ(enumeration(std::vector<std::string>{"x", "y"}), "x and y");
  EXPECT_EQ(enumeration(std::vector<std::string>{"x", "y", "z"}), "x, y and z");
  EXPECT_EQ(with_article("apple"), "an apple");
  EXPECT_EQ(with_article("mug"), "a mug");
  EXPECT_EQ(capitalised("on it"), "On it");
}

TEST(Words, QuoteWhatAnybodyWrote) {
  EXPECT_EQ(quotable("go\nto\x01"), "go to ");
  EXPECT_EQ(quotable(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(quotable(std::string(81, 'x')), std::string(80, 'x') + "…");
  EXPECT_EQ(quotable(std::string(79, 'x') + "é"), std::string(79, 'x') + "…");
  Rng rng({.seed = 1, .purpose = hash_name("words")});
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(static_cast<std::size_t>(rng.integer(0, 120)), ' ');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    EXPECT_LE(quotable(bytes).size(), 83u);
    const std::string once = normalised(bytes);
    EXPECT_EQ(normalised(once), once);
  }
}

}  // namespace
}  // namespace redqueen
