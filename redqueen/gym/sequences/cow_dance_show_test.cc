#include <algorithm>
#include <deque>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Minute by minute.
std::int64_t end_by_watching(const std::vector<std::int64_t>& d, std::size_t places) {
  std::deque<std::int64_t> waiting(d.begin(), d.end());
  std::vector<std::int64_t> left_to_dance;
  for (std::int64_t minute = 0;; ++minute) {
    std::erase(left_to_dance, 0);
    while (left_to_dance.size() < places && !waiting.empty()) {
      left_to_dance.push_back(waiting.front());
      waiting.pop_front();
    }
    if (left_to_dance.empty()) return minute;
    for (std::int64_t& time : left_to_dance) --time;
  }
}

TEST(CowDanceShow, AgreesWithWatching) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("CowDanceShow", static_cast<int>(seed % 15), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(end_by_watching(parameter["d"].get<std::vector<std::int64_t>>(),
                                            parameter["K"].get<std::size_t>())));
  }
}

TEST(CowDanceShow, RefusesAForgedEnd) {
  const auto json = parse_json(R"({"N": 3, "d": [2, 1, 2], "K": 2, "reference_answer": 4})");
  EXPECT_FALSE(Registry::native().find("CowDanceShow")->restore(*json));
}

}  // namespace
}  // namespace redqueen
