#include <bit>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

struct Arch {
  int n;
  std::vector<unsigned> neighbours;  // as sets
  int paint;
  std::map<std::pair<int, unsigned>, bool> known = {};

  // Whether the painter, whose turn it is, wins. Painting more never hurts, so he paints `paint`
  // white vertices, or all.
  bool painter_wins(int walker, unsigned black) {
    const unsigned all = (1U << n) - 1;
    const unsigned white = all & ~black;
    if (std::popcount(white) <= paint) return true;
    const auto [place, is_new] = known.try_emplace({walker, black}, false);
    if (!is_new) return place->second;
    bool wins = false;
    for (unsigned painted = white; painted > 0 && !wins; painted = (painted - 1) & white) {
      if (std::popcount(painted) != paint) continue;
      const unsigned now = black | painted;
      const unsigned reach = neighbours[walker] | 1U << walker;
      bool safe = (reach & ~now) == 0;
      for (int next = 0; next < n && safe; ++next) {
        if ((reach >> next & 1) != 0) safe = painter_wins(next, now);
      }
      wins = safe;
    }
    return known[{walker, black}] = wins;
  }
};

TEST(TriumphalArch, AgreesWithASearchOfAllPlays) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto problem = make_problem("TriumphalArch", level, seed);
      const Json parameter = problem->parameter();
      Arch arch{.n = parameter["N"], .neighbours = {}, .paint = 0};
      arch.neighbours.resize(arch.n);
      for (const auto& edge : parameter["edges"]) {
        arch.neighbours[edge[0].get<std::size_t>()] |= 1U << edge[1].get<int>();
        arch.neighbours[edge[1].get<std::size_t>()] |= 1U << edge[0].get<int>();
      }
      do {
        ++arch.paint;
        arch.known.clear();
      } while (!arch.painter_wins(0, 1));
      EXPECT_EQ(problem->reference(), std::to_string(arch.paint)) << problem->prompt();
    }
  }
}

TEST(TriumphalArch, SpreadsTheAnswers) {
  std::map<std::string, int> frequency;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    ++frequency[make_problem("TriumphalArch", 12, seed)->reference()];
  EXPECT_GE(frequency.size(), 4u);
  for (const auto& [answer, count] : frequency) EXPECT_LT(count, 200) << answer;
}

}  // namespace
}  // namespace redqueen
