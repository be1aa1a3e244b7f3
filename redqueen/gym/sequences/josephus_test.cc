#include <deque>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Every number that is said.
std::string leaving_order_by_counting(std::int64_t persons, std::int64_t m) {
  std::deque<std::int64_t> circle;
  for (std::int64_t person = 1; person <= persons; ++person) circle.push_back(person);
  std::vector<std::int64_t> order;
  for (std::int64_t said = 1; !circle.empty(); said = said == m ? 1 : said + 1) {
    const std::int64_t person = circle.front();
    circle.pop_front();
    if (said == m) {
      order.push_back(person);
    } else {
      circle.push_back(person);
    }
  }
  return format_answer(order);
}

TEST(Josephus, AgreesWithCounting) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("Josephus", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), leaving_order_by_counting(parameter["N"].get<std::int64_t>(),
                                                              parameter["M"].get<std::int64_t>()));
  }
}

TEST(Josephus, RefusesAForgedOrder) {
  const auto json = parse_json(R"({"N": 3, "M": 2, "gold_answer": [1, 2, 3]})");
  EXPECT_FALSE(Registry::native().find("Josephus")->restore(*json));
}

}  // namespace
}  // namespace redqueen
