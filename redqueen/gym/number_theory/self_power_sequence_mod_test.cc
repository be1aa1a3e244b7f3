#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Lists the powers of two modulo m until they repeat and descends through their period; the tower's
// exponent is past the tail of the list from its fifth term on.
std::int64_t limit_by_listing(std::int64_t modulus) {
  if (modulus == 1) return 0;
  std::vector<std::int64_t> powers;
  std::vector<std::int64_t> seen(static_cast<std::size_t>(modulus), -1);
  std::int64_t power = 1 % modulus;
  while (seen[power] < 0) {
    seen[power] = static_cast<std::int64_t>(powers.size());
    powers.push_back(power);
    power = power * 2 % modulus;
  }
  const std::int64_t tail = seen[power];
  const auto period = static_cast<std::int64_t>(powers.size()) - tail;
  std::int64_t exponent = limit_by_listing(period);
  while (exponent < tail) exponent += period;
  return powers[exponent];
}

TEST(SelfPowerSequenceMOD, AgreesWithListedPowers) {
  for (std::int64_t modulus = 1; modulus <= 1500; ++modulus) {
    const auto problem = restore_problem("SelfPowerSequenceMOD",
                                         fmt::format(R"({{"MAX_MOD": 1500, "MOD": {}}})", modulus));
    EXPECT_EQ(problem->reference(), format_answer(limit_by_listing(modulus))) << modulus;
  }
}

TEST(SelfPowerSequenceMOD, PaysLessForWhatIsNoResidue) {
  const auto problem = restore_problem("SelfPowerSequenceMOD", R"({"MAX_MOD": 9, "MOD": 9})");
  EXPECT_EQ(problem->score("7").reward, 1.0);
  EXPECT_EQ(problem->score("8").reward, 0.0);
  EXPECT_EQ(problem->score("16").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
