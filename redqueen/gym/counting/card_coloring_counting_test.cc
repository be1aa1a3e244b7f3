#include <algorithm>
#include <map>
#include <string>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Shuffles = std::vector<std::vector<int>>;

// Lists all colourings and joins those that one shuffle turns into each other.
std::int64_t classes(const std::string& cards, const Shuffles& shuffles) {
  std::string colouring = cards;
  std::ranges::sort(colouring);
  std::map<std::string, std::string> parent;
  do {
    parent[colouring] = colouring;
  } while (std::ranges::next_permutation(colouring).found);
  const auto root = [&](std::string of) {
    while (parent[of] != of) of = parent[of];
    return of;
  };
  auto left = static_cast<std::int64_t>(parent.size());
  for (const auto& entry : std::map(parent)) {
    for (const std::vector<int>& shuffle : shuffles) {
      std::string shuffled = entry.first;
      for (std::size_t i = 0; i < shuffle.size(); ++i) shuffled[shuffle[i] - 1] = entry.first[i];
      const std::string a = root(entry.first);
      const std::string b = root(shuffled);
      if (a == b) continue;
      parent[a] = b;
      --left;
    }
  }
  return left;
}

std::int64_t classes(const Json& parameter) {
  std::string cards;
  for (const char* colour : {"R", "G", "B"}) {
    cards += std::string(parameter[colour].get<std::size_t>(), *colour);
  }
  return classes(cards, parameter["shuffling_methods"].get<Shuffles>());
}

TEST(CardColoringCounting, AgreesWithAListOfAllColourings) {
  for (std::uint64_t seed = 0; seed < 140; ++seed) {
    const auto problem = make_problem("CardColoringCounting", static_cast<int>(seed % 7), seed);
    EXPECT_EQ(problem->reference(), format_answer(classes(problem->parameter())))
        << problem->prompt();
  }
}

TEST(CardColoringCounting, TakesAnyShuffles) {
  Rng rng({.seed = 1, .purpose = hash_name("shuffles"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 60; ++i) {
    const int n = static_cast<int>(rng.integer(1, 7));
    const auto red = rng.integer(0, n);
    const auto green = rng.integer(0, n - red);
    Json parameter{{"N", n},     {"K", rng.integer(0, 3)}, {"R", red},
                   {"G", green}, {"B", n - red - green},   {"shuffling_methods", Json::array()}};
    for (int k = 0; k < parameter["K"].get<int>(); ++k) {
      std::vector<int> shuffle = rng.permutation(n);
      for (int& place : shuffle) ++place;
      parameter["shuffling_methods"].push_back(shuffle);
    }
    parameter["reference_answer"] = classes(parameter);
    EXPECT_NE(restore_problem("CardColoringCounting", dump_json(parameter)), nullptr)
        << parameter.dump();
  }
}

}  // namespace
}  // namespace redqueen
