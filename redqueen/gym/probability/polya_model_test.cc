#include "redqueen/gym/common/answer/fraction_answer.h"
#include "redqueen/gym/common/number/rational.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

struct Urn {
  std::vector<std::int64_t> balls;
  std::int64_t total;
  std::int64_t added;
  std::vector<int> wanted;  // the colour of each step, 0: any
};

// Sums over the colours of all steps, those that nobody asks about too.
Rational chance_from(Urn& urn, std::size_t step) {
  if (step == urn.wanted.size()) return 1;
  Rational sum = 0;
  for (std::size_t colour = 0; colour < urn.balls.size(); ++colour) {
    if (urn.wanted[step] != 0 && std::cmp_not_equal(urn.wanted[step], colour + 1)) continue;
    const Rational share = Rational(urn.balls[colour]) / Rational(urn.total);
    urn.balls[colour] += urn.added;
    urn.total += urn.added;
    sum += share * chance_from(urn, step + 1);
    urn.balls[colour] -= urn.added;
    urn.total -= urn.added;
  }
  return sum;
}

TEST(PolyaModel, AgreesWithAllSequencesOfColours) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("PolyaModel", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    Urn urn{.balls = parameter["color2num"].get<std::vector<std::int64_t>>(),
            .total = 0,
            .added = parameter["D"].get<std::int64_t>(),
            .wanted = {}};
    for (const std::int64_t count : urn.balls) urn.total += count;
    for (const Json& event : parameter["events"]) {
      urn.wanted.resize(event[0].get<std::size_t>());
      urn.wanted.back() = event[1].get<int>();
    }
    const Rational chance = chance_from(urn, 0);
    EXPECT_EQ(problem->reference(),
              format_fraction({numerator_of(chance), denominator_of(chance)}));
  }
}

TEST(PolyaModel, WantsLowestTerms) {
  const auto problem = restore_problem(
      "PolyaModel", R"({"MAX_T_N": 3, "T": 2, "color2num": [3, 3], "D": 2, "events": [[1, 2]]})");
  EXPECT_TRUE(problem->score(" 1 / 2 ").solved);
  EXPECT_EQ(problem->score("2/4").reward, 0.0);
  EXPECT_EQ(problem->score("-1/-2").reward, 0.0);
  EXPECT_FALSE(problem->score("0.5").well_formed);
}

TEST(PolyaModel, RefusesStepsThatDoNotAscend) {
  const Environment* environment = Registry::native().find("PolyaModel");
  for (const Json& events : {Json{{2, 1}, {2, 2}}, Json{{0, 1}}, Json{{1, 3}}}) {
    const Json parameter{
        {"MAX_T_N", 3}, {"T", 2}, {"color2num", {3, 3}}, {"D", 2}, {"events", events}};
    EXPECT_FALSE(environment->restore(parameter).has_value()) << events;
  }
}

}  // namespace
}  // namespace redqueen
