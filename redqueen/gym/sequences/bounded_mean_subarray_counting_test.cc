#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(BoundedMeanSubarrayCounting, AgreesWithAllSubarrays) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem =
        make_problem("BoundedMeanSubarrayCounting", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<std::vector<std::int64_t>>();
    std::int64_t count = 0;
    for (std::size_t first = 0; first < a.size(); ++first) {
      std::int64_t sum = 0;
      for (std::size_t last = first; last < a.size(); ++last) {
        sum += a[last];
        count +=
            sum >= parameter["K"].get<std::int64_t>() * static_cast<std::int64_t>(last - first + 1);
      }
    }
    EXPECT_EQ(problem->reference(), format_answer(count)) << problem->prompt();
  }
}

TEST(BoundedMeanSubarrayCounting, RefusesAForgedCount) {
  const auto json = parse_json(R"({"N": 3, "A": [1, 2, 3], "K": 2, "reference_answer": 6})");
  EXPECT_FALSE(Registry::native().find("BoundedMeanSubarrayCounting")->restore(*json));
}

}  // namespace
}  // namespace redqueen
