#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Tick by tick.
std::string simulated(const Json& parameter) {
  auto lamps = parameter["B"].get<std::vector<int>>();
  for (auto time = parameter["T"].get<std::int64_t>(); time > 0; --time) {
    const std::vector<int> before = lamps;
    for (std::size_t i = 0; i < lamps.size(); ++i)
      lamps[i] = before[i] != before[(i + 1) % lamps.size()];
  }
  return lamps[parameter["K"].get<std::size_t>() - 1] == 1 ? "ON" : "OFF";
}

TEST(LampChanging, AgreesWithASimulation) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("LampChanging", static_cast<int>(seed % 6), seed);
    EXPECT_EQ(problem->reference(), simulated(problem->parameter())) << problem->prompt();
  }
}

TEST(LampChanging, AgreesWithASimulationOnEveryTime) {
  for (int time = 0; time < 40; ++time) {
    const auto problem = restore_problem(
        "LampChanging",
        fmt::format(R"({{"MAX_N_T": 8, "N": 6, "B": [1, 0, 0, 1, 1, 1], "T": {}, "K": 5}})", time));
    EXPECT_EQ(problem->reference(), simulated(problem->parameter()));
  }
}

TEST(LampChanging, LeavesLampsOnAsOftenAsOff) {
  int on = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    on += make_problem("LampChanging", 2, seed)->reference() == "ON";
  EXPECT_NEAR(on, 200, 50);
}

}  // namespace
}  // namespace redqueen
