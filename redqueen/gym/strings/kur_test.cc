#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Writes the string out.
std::int64_t count_in_string(const Json& parameter) {
  const auto of = [&](const char* key) { return parameter[key].get<std::int64_t>(); };
  const auto pattern = parameter["T"].get<std::string>();
  std::string c;
  for (std::int64_t i = 0; i < of("N"); ++i) {
    c += (of("A") * i + of("B")) % of("N") < of("P") ? '0' : '1';
  }
  std::int64_t count = 0;
  for (std::size_t place = c.find(pattern); place != std::string::npos;
       place = c.find(pattern, place + 1)) {
    ++count;
  }
  return count;
}

TEST(KUR, AgreesWithTheWholeString) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto problem = make_problem("KUR", static_cast<int>(seed % 12), seed);
    const std::int64_t count = count_in_string(problem->parameter());
    EXPECT_EQ(problem->reference(), format_answer(count)) << problem->prompt();
    EXPECT_GE(count, 1);
  }
}

// Thresholds at the ends, patterns as long as the string and ones that do not occur.
TEST(KUR, AgreesAtTheBounds) {
  for (std::int64_t n = 1; n <= 6; ++n) {
    for (std::int64_t p = 0; p <= n; ++p) {
      for (std::int64_t b = 0; b < n; ++b) {
        for (int length = 1; length <= n; ++length) {
          for (std::uint32_t bits = 0; bits < 1u << length; ++bits) {
            std::string pattern;
            for (int i = 0; i < length; ++i) pattern += (bits >> i & 1) != 0 ? '1' : '0';
            Json parameter{{"N", n}, {"A", n - 1}, {"B", b}, {"P", p}};
            parameter["T"] = pattern;
            parameter["reference_answer"] = count_in_string(parameter);
            EXPECT_TRUE(Registry::native().find("KUR")->restore(parameter).has_value())
                << dump_json(parameter);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
