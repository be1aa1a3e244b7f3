#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The recurrence itself.
std::int64_t element(const Json& parameter) {
  std::int64_t before = parameter["A1"].get<std::int64_t>();
  std::int64_t current = parameter["A2"].get<std::int64_t>();
  for (auto n = parameter["N"].get<std::int64_t>(); n > 2; --n) {
    const std::int64_t next = (parameter["P"].get<std::int64_t>() * current +
                               parameter["Q"].get<std::int64_t>() * before) %
                              10000;
    before = current;
    current = next;
  }
  return parameter["N"] == 1 ? before : current;
}

TEST(Fibonacci, AgreesWithTheRecurrence) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("Fibonacci", static_cast<int>(seed % 9), seed);
    EXPECT_EQ(problem->reference(), format_answer(element(problem->parameter())));
  }
  for (int n = 1; n < 20; ++n) {
    const auto problem = restore_problem(
        "Fibonacci",
        fmt::format(R"({{"MAX_N": 20, "N": {}, "A1": 7, "A2": 9999, "P": 9999, "Q": 9998}})", n));
    EXPECT_EQ(problem->reference(), format_answer(element(problem->parameter())));
  }
}

TEST(Fibonacci, WantsTheReducedElement) {
  const auto problem = restore_problem(
      "Fibonacci", R"({"MAX_N": 3, "N": 3, "A1": 5000, "A2": 5001, "P": 3, "Q": 1})");
  EXPECT_TRUE(problem->score("3").solved);
  EXPECT_EQ(problem->score("20003").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
