#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// Puts every element into S, into T or into neither.
std::int64_t pairs(const Numbers& set, std::size_t next, Numbers& s, Numbers& t) {
  if (next == set.size()) {
    for (const std::int64_t a : s) {
      for (const std::int64_t b : t) {
        if (std::gcd(a, b) != 1) return 0;
      }
    }
    return 1;
  }
  std::int64_t count = pairs(set, next + 1, s, t);
  for (Numbers* side : {&s, &t}) {
    side->push_back(set[next]);
    count += pairs(set, next + 1, s, t);
    side->pop_back();
  }
  return count;
}

TEST(TwoSet_AllCoprime_Counting, AgreesWithAllPairs) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem =
        make_problem("TwoSet_AllCoprime_Counting", static_cast<int>(seed % 4), seed);
    Numbers s;
    Numbers t;
    EXPECT_EQ(problem->reference(),
              format_answer(pairs(problem->parameter()["set"].get<Numbers>(), 0, s, t)));
  }
}

// Products of large primes and of many small ones.
TEST(TwoSet_AllCoprime_Counting, AgreesWithAllPairsOfLargeNumbers) {
  Rng rng({.seed = 1});
  for (int round = 0; round < 40; ++round) {
    Numbers set = rng.sample(2, 288, 8);
    if (round % 2 == 0) {
      set = {210, 286, 169, 121, 127, 254, 17 * (2 + round / 4), 19};
    }
    Numbers s;
    Numbers t;
    EXPECT_NE(
        restore_problem(
            "TwoSet_AllCoprime_Counting",
            dump_json(Json{{"N", 288}, {"set", set}, {"reference_answer", pairs(set, 0, s, t)}})),
        nullptr);
  }
}

// Powers of 2 keep out of one set: 2^(n + 1) − 1. Even numbers of no matter how many more elements.
TEST(TwoSet_AllCoprime_Counting, CountsExactlyBeyondWords) {
  Numbers set;
  for (int x = 2; x <= 200; x += 2) set.push_back(x);
  const BigInt right = (BigInt(1) << 101) - 1;
  EXPECT_NE(restore_problem("TwoSet_AllCoprime_Counting",
                            fmt::format(R"({{"N": 200, "set": [{}], "reference_answer": {}}})",
                                        fmt::join(set, ", "), right.str())),
            nullptr);
}

}  // namespace
}  // namespace redqueen
