#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SecretCowCode, AgreesWithTheWordItself) {
  for (const std::string word : {"a", "ab", "cow", "moooz", "secrtcw"}) {
    std::string whole = word;
    while (whole.size() < 2000) {
      whole += whole.back() + whole.substr(0, whole.size() - 1);
    }
    for (std::size_t place = 1; place <= 2000; ++place) {
      const auto problem =
          restore_problem("SecretCowCode", fmt::format(R"({{"S": "{}", "K": {}}})", word, place));
      ASSERT_EQ(problem->reference(), std::string(1, whole[place - 1])) << word << ' ' << place;
    }
  }
}

TEST(SecretCowCode, WantsALetterOfTheWord) {
  const auto problem = restore_problem("SecretCowCode", R"({"S": "cow", "K": 4})");
  EXPECT_TRUE(problem->score("w").solved);
  EXPECT_EQ(problem->score("c").reward, 0.0);
  EXPECT_FALSE(problem->score("x").well_formed);
  EXPECT_FALSE(problem->score("wo").well_formed);
}

}  // namespace
}  // namespace redqueen
