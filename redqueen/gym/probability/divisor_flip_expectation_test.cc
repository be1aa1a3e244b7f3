#include "redqueen/gym/common/number/testing.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

constexpr std::int64_t kPrime = 1'000'000'007;

// The expected presses from every state of n lights (light i is bit i − 1), by the linear equations
// of the Markov chain; distances to the dark state by search.
std::vector<std::int64_t> expected_presses(int n, int k) {
  const std::size_t states = std::size_t{1} << n;
  std::vector<std::size_t> toggles;
  for (int i = 1; i <= n; ++i) {
    std::size_t mask = 0;
    for (int divisor = 1; divisor <= i; ++divisor) {
      if (i % divisor == 0) mask |= std::size_t{1} << (divisor - 1);
    }
    toggles.push_back(mask);
  }
  std::vector<int> distance(states, -1);
  std::vector<std::size_t> queue{0};
  distance[0] = 0;
  for (std::size_t place = 0; place < queue.size(); ++place) {
    for (const std::size_t mask : toggles) {
      const std::size_t next = queue[place] ^ mask;
      if (distance[next] >= 0) continue;
      distance[next] = distance[queue[place]] + 1;
      queue.push_back(next);
    }
  }
  const PrimeField field(kPrime);
  const std::int64_t share = field.inverse(n);
  std::vector<std::vector<std::int64_t>> rows(states, std::vector<std::int64_t>(states + 1));
  for (std::size_t state = 0; state < states; ++state) {
    rows[state][state] = 1;
    rows[state][states] = distance[state] <= k ? distance[state] : 1;
    if (distance[state] <= k) continue;
    for (const std::size_t mask : toggles) {
      rows[state][state ^ mask] = field.subtract(rows[state][state ^ mask], share);
    }
  }
  return solve_linear_system(field, rows).value();
}

TEST(DivisorFlipExpectation, AgreesWithTheMarkovChain) {
  const PrimeField field(kPrime);
  std::int64_t factorial = 1;
  for (int n = 1; n <= 5; ++n) {
    factorial *= n;
    for (int k = 0; k <= n; ++k) {
      const auto expected = expected_presses(n, k);
      for (std::size_t state = 0; state < expected.size(); ++state) {
        Json lights = Json::array({nullptr});
        for (int i = 0; i < n; ++i) lights.push_back(state >> i & 1);
        const Json parameter{{"N", n}, {"K", k}, {"state", lights}};
        const auto problem = restore_problem("DivisorFlipExpectation", parameter.dump());
        EXPECT_EQ(problem->reference(), format_answer(field.multiply(expected[state], factorial)));
      }
    }
  }
}

TEST(DivisorFlipExpectation, AlwaysPressesAtRandomFirst) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("DivisorFlipExpectation", static_cast<int>(seed % 4), seed);
    Json other = problem->parameter();
    const int k = other["K"].get<int>();
    EXPECT_LT(k, other["N"].get<int>());
    // With K one larger there is one random stage less.
    other["K"] = k + 1;
    const auto easier = restore_problem("DivisorFlipExpectation", other.dump());
    if (k + 1 < other["N"].get<int>()) {
      EXPECT_NE(easier->reference(), problem->reference());
    }
  }
}

TEST(DivisorFlipExpectation, RefusesStatesThatAreNone) {
  const Environment* environment = Registry::native().find("DivisorFlipExpectation");
  for (const Json& state : {Json{nullptr, 1, 0}, Json{0, 1, 0, 1}, Json{nullptr, 1, 0, 2},
                            Json{nullptr, 1, nullptr, 1}}) {
    EXPECT_FALSE(environment->restore({{"N", 3}, {"K", 1}, {"state", state}}).has_value()) << state;
  }
}

}  // namespace
}  // namespace redqueen
