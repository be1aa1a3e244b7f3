#include <algorithm>
#include <cmath>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool is_allowed(const List& sequence) {
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    const std::string pair{static_cast<char>('0' + sequence[i - 1]),
                           static_cast<char>('0' + sequence[i])};
    if (std::string("01 10 03 30 12 21").find(pair) == std::string::npos) return false;
  }
  return true;
}

TEST(RangeFourSequenceConstruction, JudgesAllSequences) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto problem =
        make_problem("RangeFourSequenceConstruction", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto conditions = parameter["conditions"].get<std::vector<List>>();
    List sequence(parameter["N"].get<std::size_t>(), 0);
    int solutions = 0;
    while (true) {
      double expected = kInvalidReward;
      if (is_allowed(sequence)) {
        double met = 0;
        for (const List& places : conditions) {
          bool differ = true;
          for (const auto a : places) {
            for (const auto b : places) {
              differ = differ && (a == b || sequence[a - 1] != sequence[b - 1]);
            }
          }
          met += differ;
        }
        expected = std::pow(met / static_cast<double>(conditions.size()), 5);
        solutions += met == static_cast<double>(conditions.size());
      }
      EXPECT_NEAR(problem->score(format_answer(sequence)).reward, expected, 1e-9);
      std::size_t place = 0;
      while (place < sequence.size() && ++sequence[place] > 3) sequence[place++] = 0;
      if (place == sequence.size()) break;
    }
    EXPECT_GE(solutions, 1);
  }
}

TEST(RangeFourSequenceConstruction, RefusesAReferenceThatFails) {
  const auto json = parse_json(R"({"N": 3, "conditions": [[1, 3]], "reference_answer": "0 1 0"})");
  EXPECT_FALSE(Registry::native().find("RangeFourSequenceConstruction")->restore(*json));
}

}  // namespace
}  // namespace redqueen
