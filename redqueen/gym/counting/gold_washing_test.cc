#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t digit_product(std::int64_t x) {
  std::int64_t product = 1;
  for (const char digit : std::to_string(x)) product *= digit - '0';
  return product;
}

// All N² values, sorted.
std::int64_t sum_of_first(std::int64_t n, std::size_t k) {
  std::vector<std::int64_t> with_product(static_cast<std::size_t>(n) + 1);
  for (std::int64_t x = 1; x <= n; ++x) ++with_product[digit_product(x)];
  std::vector<std::int64_t> values;
  for (std::int64_t a = 1; a <= n; ++a) {
    for (std::int64_t b = 1; b <= n; ++b) values.push_back(with_product[a] * with_product[b]);
  }
  std::ranges::sort(values, std::greater());
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k),
                         std::int64_t{0});
}

TEST(GoldWashing, AgreesWithAllPairs) {
  for (const std::int64_t n : {1, 2, 9, 10, 11, 37, 100, 243}) {
    for (const std::int64_t k : {std::int64_t{1}, n / 2 + 1, n, n * n}) {
      EXPECT_NE(
          restore_problem(
              "GoldWashing",
              dump_json(Json{
                  {"MAX_N", n}, {"N", n}, {"K", k}, {"reference_answer", sum_of_first(n, k)}})),
          nullptr)
          << n << " " << k;
    }
  }
}

TEST(GoldWashing, IsNeverAnsweredByWhatItAsksFor) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Json parameter =
        make_problem("GoldWashing", static_cast<int>(seed % 5), seed)->parameter();
    EXPECT_NE(parameter["K"], parameter["reference_answer"]);
  }
}

}  // namespace
}  // namespace redqueen
