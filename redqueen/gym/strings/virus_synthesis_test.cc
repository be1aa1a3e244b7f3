#include <algorithm>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The least number of operations for every string of up to `longest` characters that can be made,
// by breadth first.
std::map<std::string, int> by_search(std::size_t longest) {
  std::map<std::string, int> operations{{"", 0}};
  std::vector<std::string> reached{""};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::string s = reached[i];
    const std::string reversed(s.rbegin(), s.rend());
    for (const std::string& next :
         {'0' + s, '1' + s, s + '0', s + '1', s + reversed, reversed + s}) {
      if (next.size() > longest) continue;
      if (operations.try_emplace(next, operations[s] + 1).second) reached.push_back(next);
    }
  }
  return operations;
}

TEST(VirusSynthesis, AgreesWithASearchOfAllOperations) {
  for (const auto& [s, operations] : by_search(13)) {
    if (s.empty()) continue;
    ASSERT_NE(restore_problem("VirusSynthesis",
                              dump_json(Json{{"S", s}, {"reference_answer", operations}})),
              nullptr)
        << s << ' ' << operations;
  }
}

// The least number for each piece of s, from those of shorter pieces.
int by_pieces(const std::string& s) {
  std::map<std::string, int> known{{"", 0}};
  for (std::size_t length = 1; length <= s.size(); ++length) {
    for (std::size_t begin = 0; begin + length <= s.size(); ++begin) {
      const std::string piece = s.substr(begin, length);
      int least = 1 + std::min(known.at(piece.substr(1)), known.at(piece.substr(0, length - 1)));
      if (length % 2 == 0 && std::equal(piece.begin(), piece.end(), piece.rbegin())) {
        least = std::min(least, 1 + known.at(piece.substr(0, length / 2)));
      }
      known[piece] = least;
    }
  }
  return known.at(s);
}

TEST(VirusSynthesis, AgreesWithAllPiecesOfLongStrings) {
  for (int level = 4; level <= 24; ++level) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto problem = make_problem("VirusSynthesis", level, seed);
      const auto s = problem->parameter()["S"].get<std::string>();
      ASSERT_EQ(problem->reference(), std::to_string(by_pieces(s))) << s;
    }
  }
}

TEST(VirusSynthesis, DrawsLengthsOfTheLevel) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Json parameter = make_problem("VirusSynthesis", 5, seed)->parameter();
    const auto length = std::ssize(parameter["S"].get<std::string>());
    EXPECT_GE(length, 9);
    EXPECT_LE(length, 16);
  }
}

}  // namespace
}  // namespace redqueen
