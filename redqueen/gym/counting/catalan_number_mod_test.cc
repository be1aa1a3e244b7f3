#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool has_the_properties(const std::vector<int>& a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i + 2 < a.size() && a[i] >= a[i + 2]) return false;
    if (i % 2 == 0 && a[i] >= a[i + 1]) return false;
  }
  return true;
}

Json parameter(int n, std::int64_t modulus, std::int64_t answer) {
  return {{"MAX_N", n}, {"N", n}, {"MOD", modulus}, {"reference_answer", answer}};
}

TEST(CatalanNumberMod, AgreesWithAllPermutations) {
  for (int n = 1; n <= 4; ++n) {
    std::vector<int> permutation(static_cast<std::size_t>(2 * n));
    std::iota(permutation.begin(), permutation.end(), 1);
    int found = 0;
    do {
      found += has_the_properties(permutation);
    } while (std::ranges::next_permutation(permutation).found);
    for (const int modulus : {1, 2, 10, 1000}) {
      EXPECT_NE(
          restore_problem("CatalanNumberMod", dump_json(parameter(n, modulus, found % modulus))),
          nullptr)
          << n;
    }
  }
}

// A path of N steps up and N steps down that never goes below its beginning tells which numbers
// stand at odd places. Heights are followed step by step, by additions alone.
TEST(CatalanNumberMod, AgreesWithPathsBeyondWhatCanBeListed) {
  for (const std::int64_t modulus : {97, 1024, 999'999'000, 1'000'000'000}) {
    std::vector<std::int64_t> at_height(202);
    at_height[0] = 1 % modulus;
    for (int step = 1; step <= 200; ++step) {
      std::vector<std::int64_t> next(202);
      for (std::size_t height = 0; height < 201; ++height) {
        next[height + 1] = (next[height + 1] + at_height[height]) % modulus;
        if (height > 0) next[height - 1] = (next[height - 1] + at_height[height]) % modulus;
      }
      at_height = next;
      if (step % 2 == 0) {
        EXPECT_NE(restore_problem("CatalanNumberMod",
                                  dump_json(parameter(step / 2, modulus, at_height[0]))),
                  nullptr)
            << step;
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
