#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t count_of_all(const Json& parameter) {
  std::vector<std::int64_t> b;
  for (std::int64_t copy = 0; copy < parameter["M"].get<std::int64_t>(); ++copy) {
    for (const Json& value : parameter["A"]) b.push_back(value.get<std::int64_t>());
  }
  std::int64_t count = 0;
  for (std::size_t first = 0; first < b.size(); ++first) {
    std::int64_t sum = 0;
    for (std::size_t last = first; last < b.size(); ++last) {
      sum += b[last];
      count += sum <= parameter["K"].get<std::int64_t>();
    }
  }
  return count;
}

TEST(BoundedSubarrayCounting, AgreesWithAllSubarrays) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("BoundedSubarrayCounting", static_cast<int>(seed % 9), seed);
    EXPECT_EQ(problem->reference(), format_answer(count_of_all(problem->parameter())));
  }
}

TEST(BoundedSubarrayCounting, CountsAtEveryBound) {
  for (int bound = 0; bound <= 30; ++bound) {
    Json parameter = *parse_json(R"({"N": 3, "M": 4, "A": [3, 1, 2]})");
    parameter["K"] = bound;
    parameter["reference_answer"] = count_of_all(parameter);
    EXPECT_TRUE(Registry::native().find("BoundedSubarrayCounting")->restore(parameter)) << bound;
    parameter["reference_answer"] = count_of_all(parameter) + 1;
    EXPECT_FALSE(Registry::native().find("BoundedSubarrayCounting")->restore(parameter)) << bound;
  }
}

}  // namespace
}  // namespace redqueen
