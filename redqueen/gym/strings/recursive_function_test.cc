#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// By an explicit stack of calls that wait for others, every value kept.
BigInt evaluated(int m_wanted, const BigInt& n_wanted) {
  using Call = std::pair<int, BigInt>;
  std::map<Call, BigInt> known;
  std::vector<Call> waiting{{m_wanted, n_wanted}};
  const auto lookup = [&](const Call& call) {
    const auto found = known.find(call);
    if (found == known.end()) waiting.push_back(call);
    return found == known.end() ? nullptr : &found->second;
  };
  while (!waiting.empty()) {
    const auto [m, n] = waiting.back();
    const auto settle = [&, call = Call{m, n}](const BigInt& value) {
      known[call] = value;
      waiting.pop_back();
    };
    if (m == 0) {
      settle(n + 1);
    } else if (n == 0) {
      if (const BigInt* value = lookup({m - 1, 1})) settle(*value);
    } else if (const BigInt* low = lookup({m / 2, n / 2})) {
      if (const BigInt* high = lookup({m / 2, n - 1})) {
        const BigInt* left = lookup({m / 2, *low});
        if (left == nullptr) continue;
        if (const BigInt* right = lookup({m / 2, *high})) settle(*left + *right);
      }
    }
  }
  return known.at({m_wanted, n_wanted});
}

std::string reference(int m, std::int64_t n) {
  return restore_problem("RecursiveFunction",
                         fmt::format(R"({{"MAX_M_N": 3, "M": {}, "N": {}}})", m, n))
      ->reference();
}

TEST(RecursiveFunction, AgreesWithAMemoisedEvaluation) {
  for (int m = 0; m <= 12; ++m) {
    for (int n = 0; n <= 12; ++n)
      EXPECT_EQ(reference(m, n), evaluated(m, n).str()) << m << " " << n;
  }
}

TEST(RecursiveFunction, StaysExactBeyondSixtyFourBits) {
  EXPECT_EQ(reference(63, 1'000'000), evaluated(63, 1'000'000).str());
  EXPECT_EQ(reference(64, 64), evaluated(64, 64).str());
  EXPECT_EQ(reference(100, 3), evaluated(100, 3).str());
}

}  // namespace
}  // namespace redqueen
