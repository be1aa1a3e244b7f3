#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Segments = std::vector<std::array<std::int64_t, 4>>;

// The segments that the ray through (x, y) meets, as a set: those with ends on both sides of it.
unsigned met_by(const Segments& segments, std::int64_t x, std::int64_t y) {
  unsigned met = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto& [x1, y1, x2, y2] = segments[i];
    const std::int64_t first = x * y1 - y * x1;
    const std::int64_t second = x * y2 - y * x2;
    if (std::min(first, second) <= 0 && std::max(first, second) >= 0) met |= 1U << i;
  }
  return met;
}

// The most that `rays` more rays meet, of those from `next` on, besides the segments met so far.
int most_met(const std::vector<unsigned>& sets, std::size_t next, int rays, unsigned so_far) {
  int most = std::popcount(so_far);
  for (std::size_t i = next; rays > 0 && i < sets.size(); ++i) {
    if ((sets[i] & so_far) == 0) {
      most = std::max(most, most_met(sets, i + 1, rays - 1, so_far | sets[i]));
    }
  }
  return most;
}

TEST(LASLaser, AgreesWithAllChoicesOfRays) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto problem = make_problem("LASLaser", level, seed);
      const Json parameter = problem->parameter();
      const auto segments = parameter["segments"].get<Segments>();
      // Every ray that can make a difference goes through a lattice point of this square.
      std::vector<unsigned> sets;
      const auto side = 2 * parameter["N"].get<std::int64_t>();
      for (std::int64_t x = 1; x <= side; ++x) {
        for (std::int64_t y = 1; y <= side; ++y) sets.push_back(met_by(segments, x, y));
      }
      std::ranges::sort(sets);
      sets.erase(std::ranges::unique(sets).begin(), sets.end());
      EXPECT_EQ(problem->reference(),
                std::to_string(most_met(sets, 0, parameter["K"].get<int>(), 0)))
          << problem->prompt();
    }
  }
}

TEST(LASLaser, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("LASLaser");
  const auto parameter = [](int reference) {
    return *parse_json(fmt::format(
        R"({{"N": 2, "segments": [[1, 2, 2, 1], [1, 1, 3, 3]], "K": 1, "reference_answer": {}}})",
        reference));
  };
  EXPECT_TRUE(environment.restore(parameter(2)));
  EXPECT_FALSE(environment.restore(parameter(1)));
}

}  // namespace
}  // namespace redqueen
