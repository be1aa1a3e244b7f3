#include "redqueen/decode/kept_rows.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

// A row of four tokens, all alike.
KeptRow row_of(Token token) { return {.tokens = std::vector<Token>(4, token), .layers = {}}; }

bool holds(const KeptRows& rows, Token token) {
  return rows.find(std::vector<Token>(4, token)) != nullptr;
}

TEST(KeptRowsTest, TheOldestMakesRoomForTheNewest) {
  const std::int64_t size = row_of(0).bytes();
  EXPECT_EQ(size, static_cast<std::int64_t>(4 * sizeof(Token)));
  KeptRows rows(3 * size);
  for (Token token = 1; token <= 3; ++token) rows.put(row_of(token));
  EXPECT_EQ(rows.bytes(), 3 * size) << "all the room is used";
  rows.put(row_of(4));
  EXPECT_FALSE(holds(rows, 1));
  EXPECT_TRUE(holds(rows, 2) && holds(rows, 3) && holds(rows, 4));
  rows.put(row_of(2));  // which makes it the newest
  rows.put(row_of(5));
  EXPECT_FALSE(holds(rows, 3));
  EXPECT_TRUE(holds(rows, 2) && holds(rows, 4) && holds(rows, 5));
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.bytes(), 3 * size);
}

TEST(KeptRowsTest, KeepsARowThatJustFits) {
  const std::int64_t size = row_of(1).bytes();
  KeptRows exact(size), small(size - 1);
  exact.put(row_of(1));
  small.put(row_of(1));
  EXPECT_TRUE(holds(exact, 1));
  EXPECT_FALSE(holds(small, 1));
  EXPECT_EQ(small.bytes(), 0);
}

TEST(KeptRowsTest, FindsARowByAllItsTokens) {
  KeptRows rows(1000);
  rows.put({.tokens = {1, 2, 3}, .layers = {}});
  const auto found = rows.find(std::vector<Token>{1, 2, 3});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(rows.find(std::vector<Token>{1, 2}), nullptr);
  EXPECT_EQ(rows.find(std::vector<Token>{1, 2, 3, 4}), nullptr);
  rows.erase(found);
  rows.erase(found);  // which changes nothing
  EXPECT_EQ(rows.find(std::vector<Token>{1, 2, 3}), nullptr);
  EXPECT_EQ(rows.bytes(), 0);
}

}  // namespace
}  // namespace redqueen
