#include "redqueen/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/oracle.h"

namespace redqueen {
namespace {

Rng make_rng(std::uint64_t index = 0) {
  return Rng({.seed = 7, .purpose = hash_name("rng_test"), .step = 1, .index = index, .salt = 0});
}

TEST(Philox, EqualsNumpy) {
  if (!oracle_has("numpy")) GTEST_SKIP() << "no numpy in .venv";
  Rng rng = make_rng();
  std::vector<std::array<std::uint64_t, 6>> cases(200);
  const TestFolder folder;
  const std::string path = folder / "philox.txt";
  std::ofstream input(path);
  for (auto& words : cases) {
    for (auto& word : words) word = rng.chance(0.2) ? 0 : rng.bits();
    for (const auto word : words) input << word << ' ';
    input << '\n';
  }
  input.close();
  std::istringstream output(run_oracle("redqueen/base/testdata/philox.py < " + path));
  for (const auto& [c0, c1, c2, c3, k0, k1] : cases) {
    for (const std::uint64_t ours : philox4x64({c0, c1, c2, c3}, {k0, k1})) {
      std::uint64_t theirs = 0;
      ASSERT_TRUE(output >> theirs);
      EXPECT_EQ(ours, theirs);
    }
  }
}

// Every problem ever made depends on these numbers: they may never change.
TEST(Rng, KeepsItsGoldenValues) {
  Rng rng = make_rng();
  EXPECT_EQ(rng.bits(), 0x10a30bdb831261b5ULL);
  EXPECT_EQ(rng.below(1000), 319u);
  EXPECT_EQ(rng.integer(-5, 5), 5);
  EXPECT_EQ(rng.real(), 0x1.cbb1c3318a214p-2);
  EXPECT_EQ(rng.normal(), -0x1.5c858d23651b8p+0);
  const std::vector<double> weights{1.0, 2.0, 3.0};
  EXPECT_EQ(rng.weighted(weights), 2u);
  EXPECT_EQ(rng.permutation(6), (std::vector<int>{1, 2, 0, 3, 4, 5}));
  EXPECT_EQ(rng.sample(10, 20, 4), (std::vector<std::int64_t>{17, 10, 20, 11}));
}

TEST(Rng, DrawsFromItsAddressAlone) {
  Rng first = make_rng(3);
  Rng second = make_rng(3);
  Rng other = make_rng(4);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t value = first.bits();
    EXPECT_EQ(value, second.bits());
    equal += value == other.bits();
  }
  EXPECT_EQ(equal, 0);
}

TEST(Rng, EndsAtItsBudget) {
  Rng rng = make_rng();
  rng.set_budget(2);
  for (int i = 0; i < 8; ++i) rng.bits();
  EXPECT_THROW(rng.bits(), DrawBudgetExceeded);
}

// Pearson's statistic against equal frequencies; its mean is the number of cells less one.
double chi_square(const std::vector<int>& counts) {
  const double expected =
      std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double sum = 0.0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Rng, DrawsIntegersUniformly) {
  Rng rng = make_rng();
  for (const int cells : {2, 3, 7, 10, 100}) {
    std::vector<int> counts(static_cast<std::size_t>(cells));
    for (int i = 0; i < 1000 * cells; ++i) ++counts[rng.integer(-3, cells - 4) + 3];
    EXPECT_LT(chi_square(counts), cells - 1 + 5 * std::sqrt(2.0 * cells));
  }
}

// With a bound of 3/4 of 2^64, a generator without rejection would draw the lower third too often.
TEST(Rng, HasNoBiasForHugeBounds) {
  Rng rng = make_rng();
  const std::uint64_t bound = 3ULL << 62;
  std::vector<int> counts(3);
  for (int i = 0; i < 30000; ++i) ++counts[rng.below(bound) / (1ULL << 62)];
  EXPECT_LT(chi_square(counts), 2 + 5 * 2);
}

TEST(Rng, ReachesBothEndsOfTheWidestRange) {
  Rng rng = make_rng();
  const auto low = std::numeric_limits<std::int64_t>::min();
  const auto high = std::numeric_limits<std::int64_t>::max();
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    const auto value = rng.integer(low, high);
    (value < 0 ? negative : positive) = true;
  }
  EXPECT_TRUE(negative && positive);
  EXPECT_EQ(rng.integer(high, high), high);
  EXPECT_EQ(rng.integer(low, low), low);
}

TEST(Rng, DrawsNormalNumbers) {
  Rng rng = make_rng();
  constexpr int kDraws = 20000;
  double sum = 0.0;
  double squares = 0.0;
  int within_one = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    within_one += std::abs(x) < 1.0;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.03);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.05);
  EXPECT_NEAR(within_one / static_cast<double>(kDraws), 0.6827, 0.02);
}

TEST(Rng, WeighsChoices) {
  Rng rng = make_rng();
  const std::vector<double> weights{0.0, 1.0, 0.0, 3.0, 0.0};
  std::vector<int> counts(weights.size());
  for (int i = 0; i < 8000; ++i) ++counts[rng.weighted(weights)];
  EXPECT_EQ(counts[0] + counts[2] + counts[4], 0);
  EXPECT_NEAR(counts[1], 2000, 200);
}

TEST(Rng, ShufflesUniformly) {
  Rng rng = make_rng();
  std::map<std::vector<int>, int> counts;
  for (int i = 0; i < 24000; ++i) ++counts[rng.permutation(4)];
  ASSERT_EQ(counts.size(), 24u);
  std::vector<int> frequencies;
  for (const auto& entry : counts) frequencies.push_back(entry.second);
  EXPECT_LT(chi_square(frequencies), 23 + 5 * std::sqrt(46.0));
}

TEST(Rng, SamplesWithoutReplacement) {
  Rng rng = make_rng();
  std::map<std::vector<std::int64_t>, int> counts;
  for (int i = 0; i < 24000; ++i) ++counts[rng.sample(5, 8, 3)];
  EXPECT_EQ(counts.size(), 24u);  // ordered triples of four numbers, none with a repetition
  auto all = rng.sample(-10, 10, 21);
  std::ranges::sort(all);
  for (int i = 0; i < 21; ++i) EXPECT_EQ(all[i], i - 10);
  EXPECT_EQ(rng.sample(0, std::numeric_limits<std::int64_t>::max(), 5).size(), 5u);
  EXPECT_TRUE(rng.sample(1, 1, 0).empty());
  // Long ranges are not written down; all of one is a permutation all the same.
  std::vector<std::int64_t> every(5000);
  std::iota(every.begin(), every.end(), -7);
  auto drawn = rng.sample(-7, 4992, every.size());
  EXPECT_NE(drawn, every);
  std::ranges::sort(drawn);
  EXPECT_EQ(drawn, every);
}

}  // namespace
}  // namespace redqueen
