#include <map>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Goes through all strings by length, as sets of (last letters, occurrences so far).
std::int64_t least_length(const std::vector<std::string>& strings, std::int64_t wanted) {
  std::size_t longest = 0;
  for (const std::string& s : strings) longest = std::max(longest, s.size());
  std::map<std::string, std::int64_t> most{{"", 0}};  // occurrences, by last letters
  for (std::int64_t length = 0;; ++length) {
    std::map<std::string, std::int64_t> next;
    for (const auto& [ending, count] : most) {
      if (count >= wanted) return length;
      for (const char letter : {'a', 'b'}) {
        std::string longer = ending + letter;
        std::int64_t occurrences = count;
        for (const std::string& s : strings) occurrences += longer.ends_with(s);
        if (longer.size() > longest) longer.erase(0, 1);
        auto& known = next[longer];
        known = std::max(known, occurrences);
      }
    }
    most = std::move(next);
  }
}

TEST(ChoHamsters, AgreesWithASearchOfAllStrings) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("ChoHamsters", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["reference_answer"].get<std::int64_t>(),
              least_length(parameter["S"].get<std::vector<std::string>>(),
                           parameter["M"].get<std::int64_t>()))
        << problem->prompt();
  }
}

TEST(ChoHamsters, RefusesStringsWithinOthers) {
  const Environment& environment = *Registry::native().find("ChoHamsters");
  const auto possible = [&](std::string_view strings) {
    return environment
        .restore(*parse_json(
            fmt::format(R"({{"N": 2, "S": [{}], "M": 1, "reference_answer": 2}})", strings)))
        .has_value();
  };
  EXPECT_TRUE(possible(R"("ab", "bba")"));
  EXPECT_FALSE(possible(R"("ab", "bab")"));
  EXPECT_FALSE(possible(R"("bab", "ab")"));
  EXPECT_FALSE(possible(R"("ab", "ab")"));
}

// Each "aba" but the first adds two letters.
TEST(ChoHamsters, CountsManyOccurrences) {
  const std::int64_t m = std::int64_t{1} << 40;
  const Json parameter{
      {"N", 1}, {"S", Json::array({"aba"})}, {"M", m}, {"reference_answer", 2 * m + 1}};
  EXPECT_TRUE(Registry::native().find("ChoHamsters")->restore(parameter).has_value());
}

}  // namespace
}  // namespace redqueen
