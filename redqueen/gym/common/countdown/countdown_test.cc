#include "redqueen/gym/common/countdown/countdown.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// Every value that replacing two numbers by their sum, difference, product or quotient leads to.
void collect(const std::vector<Rational>& left, bool whole, std::set<Rational>& values) {
  if (left.size() == 1) {
    values.insert(left[0]);
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < left.size(); ++j) {
      if (i == j) continue;
      std::vector<Rational> rest;
      for (std::size_t k = 0; k < left.size(); ++k) {
        if (k != i && k != j) rest.push_back(left[k]);
      }
      const auto with = [&](const Rational& value) {
        if (whole && (value < 0 || !is_integer(value))) return;
        rest.push_back(value);
        collect(rest, whole, values);
        rest.pop_back();
      };
      with(left[i] - left[j]);
      if (left[j] != 0) with(left[i] / left[j]);
      if (i < j) {
        with(left[i] + left[j]);
        with(left[i] * left[j]);
      }
    }
  }
}

std::set<Rational> all_values(const Numbers& operands, bool whole) {
  std::set<Rational> values;
  collect({operands.begin(), operands.end()}, whole, values);
  return values;
}

Rational value_of(const std::string& text, const Numbers& operands) {
  const auto answer = read_countdown(text, operands);
  EXPECT_TRUE(answer && answer->value) << text;
  return answer && answer->value ? *answer->value : Rational(-1);
}

Numbers random_operands(Rng& rng, int count, std::int64_t largest) {
  Numbers operands;
  for (int i = 0; i < count; ++i) operands.push_back(rng.integer(1, largest));
  return operands;
}

Rng test_rng(std::uint64_t index) {
  return Rng(
      {.seed = 3, .purpose = hash_name("countdown test"), .step = 0, .index = index, .salt = 0});
}

TEST(CountdownExact, FindsWhatTryingEverythingFinds) {
  Rng rng = test_rng(0);
  for (int round = 0; round < 60; ++round) {
    const Numbers operands = random_operands(rng, 1 + round % 4, 12);
    for (const bool whole : {true, false}) {
      const auto values = all_values(operands, whole);
      const auto numbers = whole ? CountdownNumbers::kWhole : CountdownNumbers::kFractions;
      for (std::int64_t target = 0; target <= 40; ++target) {
        const auto found = countdown_exact(operands, target, numbers);
        ASSERT_EQ(found.has_value(), values.contains(Rational(target))) << target;
        if (found) {
          EXPECT_EQ(value_of(*found, operands), target) << *found;
        }
      }
    }
  }
}

TEST(CountdownExact, FindsWhatTryingEverythingFindsWithFiveNumbers) {
  Rng rng = test_rng(1);
  for (int round = 0; round < 2; ++round) {
    const Numbers operands = random_operands(rng, 5, 9);
    const auto values = all_values(operands, true);
    for (std::int64_t target = 0; target <= 90; ++target) {
      const auto found = countdown_exact(operands, target, CountdownNumbers::kWhole);
      ASSERT_EQ(found.has_value(), values.contains(Rational(target))) << target;
    }
  }
}

TEST(CountdownExact, ReachesWithManyNumbers) {
  Rng rng = test_rng(2);
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    const int count = 6 + round % 18;
    const std::int64_t largest = 8 * rng.integer(1, 6);
    const Numbers operands = random_operands(rng, count, largest);
    const std::int64_t target = rng.integer(0, 10 * largest);
    const auto expression = countdown_exact(operands, target, CountdownNumbers::kWhole);
    if (!expression) continue;
    ++found;
    EXPECT_EQ(value_of(*expression, operands), target);
  }
  EXPECT_GT(found, 50);
}

TEST(CountdownClosest, IsTheNearestOfAllValues) {
  Rng rng = test_rng(3);
  for (int round = 0; round < 60; ++round) {
    const Numbers operands = random_operands(rng, 1 + round % 4, 48);
    const std::int64_t target = rng.integer(0, 480);
    std::set<Rational> distances;
    for (const Rational& value : all_values(operands, false)) distances.insert(abs(value - target));
    const CountdownClosest closest = countdown_closest(operands, target);
    const Rational reached = value_of(closest.expression, operands);
    EXPECT_EQ(abs(reached - target), *distances.begin());
    EXPECT_NEAR(closest.value, reached.convert_to<double>(), 1e-9);
    if (distances.size() > 1) {
      EXPECT_NEAR(closest.runner_up, std::next(distances.begin())->convert_to<double>(), 1e-9);
    }
  }
}

TEST(CountdownClosest, ManagesSixNumbers) {
  const Numbers operands{1, 1, 1, 1, 1, 48};
  const CountdownClosest closest = countdown_closest(operands, 470);
  EXPECT_NEAR(value_of(closest.expression, operands).convert_to<double>(), closest.value, 1e-9);
  EXPECT_EQ(closest.value, 48 * 6 - 0) << "(1 + 1 + 1)(1 + 1) 48";
}

TEST(CountdownAnswer, HoldsNumbersAgainstTheGivenOnesFirst) {
  const Numbers operands{3, 5, 2};
  const auto invalid = [&](std::string_view text) {
    const auto answer = read_countdown(text, operands);
    return answer && !answer->value;
  };
  EXPECT_TRUE(invalid(""));
  EXPECT_TRUE(invalid("nonsense"));
  EXPECT_TRUE(invalid("3 + 5"));
  EXPECT_TRUE(invalid("3 + 5*2 = 13"));
  EXPECT_TRUE(invalid("35 * 2"));
  EXPECT_TRUE(invalid("3 + 5 + 2 + 99999999999999999999999999999999"));
  const auto malformed = [&](std::string_view text) { return !read_countdown(text, operands); };
  EXPECT_TRUE(malformed("3 5 2"));
  EXPECT_TRUE(malformed("3 + 5 + x2"));
  EXPECT_TRUE(malformed("3 * 5**2"));
  EXPECT_TRUE(malformed("5 // 2 + 3"));
  EXPECT_TRUE(malformed("5 ^ 2 + 3"));
  EXPECT_TRUE(malformed("2.5 * 3"));
  EXPECT_TRUE(malformed("(3 + 5 + 2"));
  EXPECT_TRUE(read_countdown("1 / (1 - 1)", Numbers{1, 1, 1}) == std::nullopt) << "division by 0";
  EXPECT_EQ(value_of("-3 + (5) * +2", operands), 7);
  EXPECT_EQ(value_of("3/5/2", operands), Rational(3, 10));
}

TEST(CountdownAnswer, RandomOnesAreWellFormed) {
  Rng rng = test_rng(4);
  for (int round = 0; round < 200; ++round) {
    const Numbers operands = random_operands(rng, 1 + round % 20, 48);
    value_of(random_countdown(operands, rng), operands);
  }
}

}  // namespace
}  // namespace redqueen
