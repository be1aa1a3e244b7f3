#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Loads after each station, from who boards and who alights.
std::vector<std::int64_t> loads(std::int64_t a, std::int64_t b, int stations) {
  std::vector<std::int64_t> boarded{0, a, b};
  std::vector<std::int64_t> load{0, a, a + b - b};
  for (int i = 3; i < stations; ++i) {
    boarded.push_back(boarded[i - 1] + boarded[i - 2]);
    load.push_back(load[i - 1] + boarded[i] - boarded[i - 1]);
  }
  return load;
}

// Tries what may have boarded at station 2.
TEST(Fibtrain, HasTheOnlyAnswerThatFitsWhatIsTold) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("Fibtrain", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    const int stations = parameter["N"].get<int>();
    int fitting = 0;
    for (std::int64_t b = 0; b <= 100; ++b) {
      const auto load = loads(parameter["A"].get<std::int64_t>(), b, stations);
      if (load[stations - 1] != parameter["M"]) continue;
      ++fitting;
      EXPECT_EQ(problem->reference(), format_answer(load[parameter["X"].get<int>()]));
    }
    EXPECT_EQ(fitting, 1);
  }
}

TEST(Fibtrain, RefusesPassengersThatDoNotFit) {
  for (const char* text :
       {R"({"N": 5, "A": 9, "B": 17, "M": 36, "X": 3, "reference_answer": 18})",
        R"({"N": 5, "A": 9, "B": 17, "M": 35, "X": 3, "reference_answer": 17})"}) {
    EXPECT_FALSE(Registry::native().find("Fibtrain")->restore(*parse_json(text))) << text;
  }
}

}  // namespace
}  // namespace redqueen
