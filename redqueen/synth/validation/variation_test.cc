#include "redqueen/synth/validation/variation.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::synth {
namespace {

constexpr int kVariationSeeds = 24;

// Problems "n numbers below `bound`" whose count and bound may depend on the level.
template <typename Prompt, typename Reference>
std::vector<ProblemSample> sight(Prompt prompt, Reference reference) {
  std::vector<ProblemSample> samples;
  for (const int level : {0, 3, 8}) {
    for (int seed = 0; seed < kVariationSeeds; ++seed) {
      Rng rng(
          {.seed = static_cast<std::uint64_t>(seed), .index = static_cast<std::uint64_t>(level)});
      const std::string text = prompt(level, seed, rng);
      samples.push_back({level, seed, text, reference(level, seed, rng)});
    }
  }
  return samples;
}

std::string number(Rng& rng, std::int64_t bound) { return std::to_string(rng.integer(1, bound)); }

TEST(Variation, ChanceToExceedCountsPairs) {
  const std::vector<double> low{1, 2, 3};
  const std::vector<double> high{2, 4};
  // Pairs (1,2) (1,4) (2,4) (3,4) win, (2,2) ties, (3,2) loses.
  EXPECT_DOUBLE_EQ(chance_to_exceed(low, high), 4.5 / 6);
  EXPECT_DOUBLE_EQ(chance_to_exceed(high, low), 1.5 / 6);
  EXPECT_DOUBLE_EQ(chance_to_exceed({}, high), 0.5);
}

TEST(Variation, GrowingProblemsAreFine) {
  const auto samples = sight(
      [](int level, int, Rng& rng) {
        std::string text = "Add:";
        for (int i = 0; i < 2 + level; ++i) text += " " + number(rng, 50);
        return text;
      },
      [](int, int, Rng& rng) { return number(rng, 1000); });
  EXPECT_EQ(check_variation(samples, 0.9).fault, ValidationFault::kNone);
}

// Only one number out of three grows, by its size: still a difference.
TEST(Variation, OneGrowingNumberIsEnough) {
  const auto samples = sight(
      [](int level, int, Rng& rng) {
        return "a = " + number(rng, 9999) + ", n = " + number(rng, 3 << level) +
               ", b = " + number(rng, 9999);
      },
      [](int, int, Rng& rng) { return number(rng, 9999); });
  EXPECT_EQ(check_variation(samples, 0.9).fault, ValidationFault::kNone);
}

// A number that grows in the midst of others, at no fixed place.
TEST(Variation, OneGrowingNumberAmongManyIsEnough) {
  const auto samples = sight(
      [](int level, int, Rng& rng) {
        std::string text = "Matrix:";
        for (std::int64_t i = rng.integer(20, 60); i > 0; --i)
          text += fmt::format(" {}", rng.integer(0, 999));
        text += fmt::format("\nRaise it to the power of {} modulo 1000. Rows:",
                            rng.integer(2, 2 << level));
        for (std::int64_t i = rng.integer(20, 60); i > 0; --i)
          text += fmt::format(" {}", rng.integer(0, 999));
        return text;
      },
      [](int, int, Rng& rng) { return std::to_string(rng.integer(0, 999)); });
  EXPECT_EQ(check_variation(samples, 0.9).fault, ValidationFault::kNone);
}

// Different problems at every level, but none harder: over many draws, chance must hardly ever pass
// for a difference.
TEST(Variation, ReseedingIsNoDifficulty) {
  int caught = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    const auto samples = sight(
        [&](int level, int seed, Rng&) {
          Rng rng({.seed = static_cast<std::uint64_t>(round),
                   .index = static_cast<std::uint64_t>(seed),
                   .salt = static_cast<std::uint64_t>(level)});
          return "Add: " + number(rng, 50) + " " + number(rng, 50) + " " + number(rng, 50);
        },
        [&](int, int, Rng& rng) { return number(rng, 150); });
    caught += check_variation(samples, 0.9).fault == ValidationFault::kDifficultyIgnored;
  }
  EXPECT_GE(caught, kRounds * 9 / 10);
}

TEST(Variation, MajorityDecidesOnConstantAnswers) {
  for (const int others : {0, 7, 16, 40}) {  // of 72 problems, spread evenly; nine tenths are 64.8
    const auto samples = sight(
        [](int level, int, Rng& rng) {
          return "x" + std::string(static_cast<std::size_t>(level), 'x') + number(rng, 100000);
        },
        [&, count = 0](int, int, Rng&) mutable {
          return count++ * others % 72 < others ? "b" : "a";
        });
    EXPECT_EQ(check_variation(samples, 0.9).fault,
              others >= 16 ? ValidationFault::kNone : ValidationFault::kAnswersConstant)
        << others;
  }
}

// "How many numbers does this list have", and answers that vary at low levels only: an answer that
// the level tells is no answer.
TEST(Variation, TheMajorityIsThatOfTheLevel) {
  const auto prompt = [](int level, int, Rng& rng) {
    return std::string(static_cast<std::size_t>(level), 'x') + number(rng, 100000);
  };
  const auto of_level = sight(prompt, [](int level, int, Rng&) { return std::to_string(level); });
  EXPECT_EQ(check_variation(of_level, 0.9).fault, ValidationFault::kAnswersConstant);
  const auto saturated = sight(prompt, [](int level, int, Rng& rng) {
    return level == 8 ? std::string("Yes") : number(rng, 1000);
  });
  EXPECT_EQ(check_variation(saturated, 0.9).fault, ValidationFault::kAnswersConstant);
  const auto easy_start = sight(prompt, [](int level, int, Rng& rng) {
    return level == 0 ? std::string("Yes") : number(rng, 1000);
  });
  EXPECT_EQ(check_variation(easy_start, 0.9).fault, ValidationFault::kNone);
}

TEST(Variation, SeedsMustMatter) {
  const auto constant = sight([](int level, int, Rng&) { return "level " + std::to_string(level); },
                              [](int, int, Rng& rng) { return number(rng, 1000); });
  EXPECT_EQ(check_variation(constant, 0.9).fault, ValidationFault::kPromptsConstant);
}

}  // namespace
}  // namespace redqueen::synth
