#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t by_comparison(const std::string& s) {
  for (std::size_t length = s.size() / 2; length > 0; --length) {
    const std::string beginning = s.substr(0, length);
    if ((beginning + beginning).find(s.substr(s.size() - length)) != std::string::npos) {
      return static_cast<std::int64_t>(length);
    }
  }
  return 0;
}

std::string parameter(const std::string& s, std::int64_t answer) {
  return dump_json(Json{{"N", s.size()}, {"S", s}, {"reference_answer", answer}});
}

TEST(Prefixuffix, AgreesWithComparingRotations) {
  for (int n = 1; n <= 13; ++n) {
    for (int bits = 0; bits < 1 << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? 'b' : 'a';
      ASSERT_NE(restore_problem("Prefixuffix", parameter(s, by_comparison(s))), nullptr) << s;
    }
  }
  for (int level = 14; level <= 100; ++level) {
    const auto problem = make_problem("Prefixuffix", level, 1);
    const std::string s = problem->parameter()["S"].get<std::string>();
    EXPECT_EQ(problem->reference(), std::to_string(by_comparison(s))) << s;
  }
}

TEST(Prefixuffix, WantsTheGreatest) {
  const auto problem = restore_problem("Prefixuffix", parameter("aabbbaba", 3));
  EXPECT_TRUE(problem->score("3").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);  // such a length, but not the greatest
  EXPECT_EQ(problem->score("4").reward, 0.0);
  EXPECT_FALSE(problem->score("aba").well_formed);
}

}  // namespace
}  // namespace redqueen
