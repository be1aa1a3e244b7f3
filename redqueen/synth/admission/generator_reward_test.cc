#include "redqueen/synth/admission/generator_reward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "redqueen/base/rng.h"

namespace redqueen::synth {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<CalibrationAnswer> answers_of(const std::vector<double>& scores, double passing = 1) {
  std::vector<CalibrationAnswer> answers;
  for (const double score : scores)
    answers.push_back({.level = static_cast<int>(answers.size()) % 2,
                       .score = score,
                       .passes = score >= passing});
  return answers;
}

// Nobody who guesses at a task of partial credit has solved it.
TEST(CalibrationTest, CountsWhatPasses) {
  const auto answers = answers_of({1, 0.01, 0, -1, kNan, 1, -0.5, 0.5});
  const Calibration calibration = calibrate(answers);
  EXPECT_EQ(calibration.instances, 8);
  EXPECT_EQ(calibration.solved, 2);
  EXPECT_EQ(calibration.pass_rate(), 0.25);
  EXPECT_EQ(calibration.levels, (std::map<int, LevelCount>{{0, {4, 1}}, {1, {4, 1}}}));
  EXPECT_EQ(calibrate(answers_of({0.5, 0.5, 0.4}, 0.5)).solved, 2);
  EXPECT_FALSE(calibrate({}).pass_rate());
}

TEST(CalibrationTest, CountsScoresAboveZeroWhereThePaperIsFollowed) {
  const auto answers = answers_of({1, 0.01, 0, -1, kNan, 1, -0.5, 0.5});
  EXPECT_EQ(calibrate(answers, SolvedRule::kPositive).solved, 4);
  EXPECT_EQ(calibrate(answers, SolvedRule::kPositive).pass_rate(), 0.5);
}

TEST(CalibrationTest, CountsAnswersThatWereCut) {
  auto answers = answers_of({0, 0, 1});
  answers[1].is_cut = true;
  const Calibration calibration = calibrate(answers);
  EXPECT_EQ(calibration.cut, 1);
  EXPECT_EQ(calibration.to_json()["cut"], 1);
  EXPECT_EQ(calibration.to_json()["levels"][1]["level"], 1);
}

// Worked out with a calculator: e^(−(â − 0.3)²/0.08).
TEST(CalibrationTest, RewardsRatesNearTheTarget) {
  const std::vector<std::pair<double, double>> table = {
      {0.0, 0.3246524674},   {0.125, 0.6819407512}, {0.25, 0.9692332345}, {0.3, 1.0},
      {0.375, 0.9321024923}, {0.5, 0.6065306597},   {0.75, 0.0795595087}, {1.0, 0.0021874911}};
  for (const auto& [rate, reward] : table) {
    EXPECT_NEAR(uncertainty_reward(rate, {}), reward, 1e-9) << rate;
  }
  EXPECT_NEAR(uncertainty_reward(0.6, {.target_rate = 0.5, .spread = 0.1}), std::exp(-0.5), 1e-12);
}

TEST(GeneratorRewardTest, FollowsTheTableOfLayers) {
  struct Row {
    int layer;
    std::optional<double> pass_rate;
    double novelty;
    double reward;  // at γ = 2.5
  };
  const std::vector<Row> table = {
      {0, {}, 0.9, -1},          {1, {}, 0.9, -0.5},        {2, {}, 0.4, 0.75},  // −0.25 + 1
      {2, {}, 0, -0.25},         {3, {}, 0.4, 1},           {4, {}, 0.2, 0.5},
      {5, 0.3, 0.4, 2},          {5, 0.5, 0.2, 1.10653066}, {5, 0.0, 0, 0.32465247},
      {5, 1.0, 0.1, 0.25218749}, {5, {}, 0.4, 1},           {4, 0.3, 0.4, 1},
      {5, 0.3, -0.2, 0.5}};
  for (const Row& row : table) {
    EXPECT_NEAR(generator_reward(row.layer, row.pass_rate, 2.5, row.novelty, {}), row.reward, 1e-8)
        << row.layer << " " << row.novelty;
  }
}

TEST(GeneratorRewardTest, IsASumThatEitherHalfCanLeave) {
  Rng rng({.seed = 1, .purpose = hash_name("reward")});
  for (int i = 0; i < 200; ++i) {
    const auto layer = static_cast<int>(rng.integer(0, 5));
    const double rate = rng.real(), gamma = rng.real(2, 5), novelty = rng.real();
    const double whole = generator_reward(layer, rate, gamma, novelty, {});
    const double quality = generator_reward(layer, rate, gamma, novelty, {.diversity = false});
    const double diversity = generator_reward(layer, rate, gamma, novelty, {.quality = false});
    EXPECT_NEAR(whole, quality + diversity, 1e-12);
    EXPECT_EQ(quality, quality_reward(layer, rate, {}));
    EXPECT_EQ(diversity, layer < 2 ? 0 : gamma * novelty);
  }
}

AdmissionCase sound_case() {
  return {.layer = 5, .calibration = {.instances = 8, .solved = 3}, .similarity = 0.799};
}

TEST(AdmitTest, AdmitsWhatPassesEverything) {
  const Admission admission = admit(sound_case());
  EXPECT_TRUE(admission.is_admitted());
  EXPECT_THAT(admission.reason, HasSubstr("3 of 8"));
}

TEST(AdmitTest, RefusesForEachReasonByItself) {
  const auto fate = [](auto&& change) {
    AdmissionCase candidate = sound_case();
    change(candidate);
    return admit(candidate).fate;
  };
  for (int layer = 0; layer < 5; ++layer) {
    EXPECT_EQ(fate([&](auto& c) { c.layer = layer; }), AdmissionFate::kInvalid);
  }
  EXPECT_EQ(fate([](auto& c) { c.is_duplicate = true; }), AdmissionFate::kDuplicate);
  EXPECT_EQ(fate([](auto& c) { c.review_rejects = true; }), AdmissionFate::kRejected);
  EXPECT_EQ(fate([](auto& c) { c.calibration = {}; }), AdmissionFate::kUnmeasured);
  EXPECT_EQ(fate([](auto& c) { c.calibration.solved = 0; }), AdmissionFate::kTooHard);
  EXPECT_EQ(fate([](auto& c) { c.calibration.solved = 8; }), AdmissionFate::kTooEasy);
  EXPECT_EQ(fate([](auto& c) { c.refutation = "No."; }), AdmissionFate::kRefuted);
  EXPECT_EQ(fate([](auto& c) {
              c.calibration.solved = 0;
              c.calibration.cut = 1;
            }),
            AdmissionFate::kCutShort);
  EXPECT_EQ(fate([](auto& c) { c.calibration.cut = 5; }), AdmissionFate::kAdmitted);
  EXPECT_EQ(fate([](auto& c) {
              c.layer = 0;
              c.is_cut = true;
            }),
            AdmissionFate::kCutShort);
  EXPECT_EQ(fate([](auto& c) {
              c.layer = 2;
              c.is_cut = true;
            }),
            AdmissionFate::kInvalid);
  // A copy is called one even where nobody was asked about it.
  EXPECT_EQ(fate([](auto& c) {
              c.nearest = "seed/sorting";
              c.nearest_similarity = 1;
              c.similarity = 1;
              c.calibration = {};
            }),
            AdmissionFate::kCopy);
  EXPECT_EQ(fate([](auto& c) { c.similarity = 0.8; }), AdmissionFate::kTooSimilar);
  EXPECT_EQ(fate([](auto& c) { c.similarity = kNan; }), AdmissionFate::kTooSimilar);
}

// Equation 7, written the other way round.
TEST(AdmitTest, AdmitsExactlyWhenAllConditionsHold) {
  Rng rng({.seed = 2, .purpose = hash_name("admission")});
  for (int i = 0; i < 2000; ++i) {
    const AdmissionCase candidate{
        .layer = static_cast<int>(rng.integer(3, 5)),
        .is_duplicate = rng.chance(0.2),
        .review_rejects = rng.chance(0.3),
        .calibration = {.instances = 4, .solved = static_cast<int>(rng.integer(0, 4))},
        .similarity = rng.real()};
    const double rate = candidate.calibration.solved / 4.0;
    const bool refused = candidate.layer < 5 || candidate.is_duplicate ||
                         candidate.review_rejects || rate <= 0 || rate >= 1 ||
                         candidate.similarity >= 0.6;
    const Admission admission = admit(candidate, 0.6);
    EXPECT_EQ(admission.is_admitted(), !refused) << admission.reason;
    EXPECT_EQ(to_string(admission.fate) == "admitted", !refused);
    EXPECT_TRUE(admission.reason.ends_with('.'));
  }
}

}  // namespace
}  // namespace redqueen::synth
