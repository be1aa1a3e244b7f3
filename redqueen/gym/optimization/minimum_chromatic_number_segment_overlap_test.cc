#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Segments = std::vector<std::pair<int, int>>;

bool meet(const std::pair<int, int>& a, const std::pair<int, int>& b) {
  return std::max(a.first, b.first) <= std::min(a.second, b.second);
}

// Whether segments from `next` on can be coloured with `colours` colours, of which `used` are in
// use.
bool can_colour(const Segments& segments, std::vector<int>& colour, std::size_t next, int used,
                int colours) {
  if (next == segments.size()) return true;
  for (int c = 0; c < std::min(used + 1, colours); ++c) {
    bool free = true;
    for (std::size_t i = 0; i < next; ++i) {
      free = free && (colour[i] != c || !meet(segments[i], segments[next]));
    }
    if (!free) continue;
    colour[next] = c;
    if (can_colour(segments, colour, next + 1, std::max(used, c + 1), colours)) return true;
  }
  return false;
}

TEST(MinimumChromaticNumberSegmentOverlap, AgreesWithASearchOfAllColourings) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem =
        make_problem("MinimumChromaticNumber_SegmentOverlap", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto segments = parameter["segments"].get<Segments>();
    std::vector<int> colour(segments.size());
    int fewest = 1;
    while (!can_colour(segments, colour, 0, 0, fewest)) ++fewest;
    EXPECT_EQ(parameter["gold_answer"], fewest) << problem->prompt();
  }
}

TEST(MinimumChromaticNumberSegmentOverlap, SeesEveryCommonPoint) {
  const auto problem = restore_problem("MinimumChromaticNumber_SegmentOverlap",
                                       R"({"N": 4, "segments": [[1, 3], [3, 3], [4, 9], [5, 6]],
                                           "gold_answer": 2})");
  EXPECT_TRUE(problem->score("1 2 1 2").solved);
  EXPECT_TRUE(problem->score("-7 0 0 -7").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 2 3 1").reward, std::pow(2.0 / 3.0, 5));
  for (const char* answer : {"1 1 1 2", "1 2 2 2", "1 2 1", "1 2 1 2 1", "1 2 1 1000000001"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

// Every answer of two colours against the definition.
TEST(MinimumChromaticNumberSegmentOverlap, PaysForEveryColouringAsDefined) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("MinimumChromaticNumber_SegmentOverlap", 3, seed);
    const auto segments = problem->parameter()["segments"].get<Segments>();
    for (std::uint32_t set = 0; set < 1u << segments.size(); ++set) {
      std::vector<std::int64_t> colours;
      for (std::size_t i = 0; i < segments.size(); ++i) colours.push_back(set >> i & 1);
      bool sound = true;
      for (std::size_t i = 0; i < segments.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          sound = sound && (colours[i] != colours[j] || !meet(segments[i], segments[j]));
        }
      }
      EXPECT_EQ(problem->score(format_answer(colours)).reward > 0.0, sound);
    }
  }
}

}  // namespace
}  // namespace redqueen
