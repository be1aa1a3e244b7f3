#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MultipleFlippingGame, AgreesWithASearchOfAllPositions) {
  for (int n = 1; n <= 12; ++n) {
    // A move flips its first cell from white to black and else only later cells: with cell 1 as
    // the highest digit, every move goes to a smaller number.
    const auto digit = [&](int cell) { return 1U << (n - cell); };
    std::vector<char> wins(std::size_t{1} << n, 0);
    for (unsigned white = 0; white < wins.size(); ++white) {
      for (int x = 1; x <= n; ++x) {
        if ((white & digit(x)) == 0) continue;
        unsigned next = white;
        for (int k = 1; k * x <= n; ++k) {
          next ^= digit(k * x);
          if (!wins[next]) wins[white] = 1;
        }
      }
      std::vector<int> cells;
      for (int x = 1; x <= n; ++x) {
        if ((white & digit(x)) != 0) cells.push_back(x);
      }
      if (n == 12 && white % 7 != 0) continue;
      const auto problem = restore_problem(
          "MultipleFlippingGame",
          Json{{"N", n}, {"white_indices", cells}, {"reference_answer", wins[white] ? "Yes" : "No"}}
              .dump());
      ASSERT_NE(problem, nullptr);
    }
  }
}

TEST(MultipleFlippingGame, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("MultipleFlippingGame");
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"N": 3, "white_indices": [1], "reference_answer": "No"})")));
}

TEST(MultipleFlippingGame, LetsEitherAnswerBeRightAsOften) {
  int yes = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    yes += make_problem("MultipleFlippingGame", 5, seed)->reference() == "Yes";
  EXPECT_NEAR(yes, 200, 50);
}

}  // namespace
}  // namespace redqueen
