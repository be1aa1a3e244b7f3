#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool reads_same_backwards(const std::string& s) {
  return std::equal(s.begin(), s.end(), s.rbegin());
}

bool can_be_cut(const std::string& s) {
  for (std::size_t cut = 1; cut < s.size(); ++cut) {
    if (reads_same_backwards(s.substr(0, cut)) && reads_same_backwards(s.substr(cut))) return true;
  }
  return false;
}

// Goes through all strings of the length.
std::int64_t count_of_all(int letters, int length) {
  std::string s(static_cast<std::size_t>(length), 'a');
  std::int64_t count = 0;
  while (true) {
    count += can_be_cut(s);
    std::size_t i = 0;
    while (i < s.size() && s[i] == 'a' + letters - 1) s[i++] = 'a';
    if (i == s.size()) return count;
    ++s[i];
  }
}

TEST(DoublePalindromicStringCounting, AgreesWithAllStrings) {
  const Environment& environment = *Registry::native().find("DoublePalindromicStringCounting");
  for (const auto& [letters, longest] : {std::pair{1, 12}, {2, 16}, {3, 10}, {4, 8}, {5, 7}}) {
    std::int64_t total = 0;
    for (int n = 2; n <= longest; ++n) {
      total += count_of_all(letters, n);
      Json parameter{{"C", letters}, {"N", n}, {"reference_answer", total}};
      EXPECT_TRUE(environment.restore(parameter).has_value()) << letters << ' ' << n;
      parameter["reference_answer"] = total + 1;
      EXPECT_FALSE(environment.restore(parameter).has_value()) << letters << ' ' << n;
    }
  }
}

TEST(DoublePalindromicStringCounting, DoesNotSolveWithPairsOfPalindromes) {
  const auto problem = make_problem("DoublePalindromicStringCounting", 20, 1);
  const Verdict verdict = problem->score(problem->shortcuts()[0].answer);
  EXPECT_GT(verdict.reward, 0.99);
  EXPECT_FALSE(verdict.solved);
}

}  // namespace
}  // namespace redqueen
