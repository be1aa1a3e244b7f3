#include "redqueen/gym/common/number/linear_form.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(LinearForm, ReadsAsMathematics) {
  EXPECT_EQ(linear_form_text(std::array<std::int64_t, 5>{2, 0, -1, 1, -30}),
            "2*x[0] - x[2] + x[3] - 30*x[4]");
  EXPECT_EQ(linear_form_text(std::array<std::int64_t, 2>{-1, 4}), "-x[0] + 4*x[1]");
  EXPECT_EQ(linear_form_text(std::array<std::int64_t, 2>{0, 0}), "0");
}

TEST(LinearForm, ChecksPlantedSystems) {
  using Numbers = std::vector<std::int64_t>;
  const auto fault = [](int n, const Numbers& x, const std::vector<Numbers>& forms,
                        const Numbers& results) {
    const Status sound = check_planted_system(n, x, "forms", forms, results);
    return sound ? std::string() : sound.error().message;
  };
  EXPECT_EQ(fault(2, {1, -2}, {{3, 4}, {0, 1}}, {5, 6}), "");
  EXPECT_EQ(form_value(Numbers{3, 4}, Numbers{1, -2}), -5);
  EXPECT_TRUE(fault(0, {}, {{}}, {5}).starts_with("\"N\""));
  EXPECT_TRUE(fault(2, {1}, {{3, 4}}, {5}).starts_with("\"x\""));
  EXPECT_TRUE(fault(1, {1'000'001}, {{3}}, {5}).starts_with("\"x\""));
  EXPECT_TRUE(fault(1, {1}, {}, {}).starts_with("\"results\""));
  EXPECT_TRUE(fault(1, {1}, {{3}}, {5, 6}).starts_with("\"results\""));
  EXPECT_TRUE(fault(1, {1}, {{3}, {3, 4}}, {5, 6}).starts_with("\"forms\"[1]"));
  EXPECT_TRUE(fault(1, {1}, {{-1'000'001}}, {5}).starts_with("\"forms\""));
}

// Small and huge values take different paths; adding the same huge value with both signs must
// change nothing.
TEST(IntegerPoint, ComparesExactlyAtAnySize) {
  Rng rng({.seed = 1, .purpose = hash_name("linear"), .step = 0, .index = 0, .salt = 0});
  const BigInt huge = BigInt(1) << 200;
  for (int round = 0; round < 500; ++round) {
    const auto form = random_linear_form(4, 1'000'000, true, rng);
    std::vector<BigInt> values;
    std::int64_t sum = 0;
    for (const std::int64_t c : form) {
      const std::int64_t x = rng.integer(-1000, 1000);
      values.emplace_back(x);
      sum += c * x;
    }
    const std::int64_t right = sum + rng.integer(-1, 1);
    EXPECT_EQ(IntegerPoint(values).compare(form, right), sum <=> right);
    std::vector<std::int64_t> longer = form;
    longer.insert(longer.end(), {7, -7});
    values.insert(values.end(), {huge, huge});
    EXPECT_EQ(IntegerPoint(values).compare(longer, right), sum <=> right);
  }
}

TEST(RandomLinearForm, KeepsItsBounds) {
  Rng rng({.seed = 2, .purpose = hash_name("linear"), .step = 0, .index = 0, .salt = 0});
  for (int round = 0; round < 500; ++round) {
    const auto form = random_linear_form(3, 4, round % 2 == 0, rng);
    EXPECT_EQ(form.size(), 3u);
    std::int64_t size = 0;
    for (const std::int64_t c : form) {
      EXPECT_LE(std::abs(c), 4);
      EXPECT_GE(c, round % 2 == 0 ? -4 : 0);
      size += std::abs(c);
    }
    EXPECT_GT(size, 0);
  }
}

}  // namespace
}  // namespace redqueen
