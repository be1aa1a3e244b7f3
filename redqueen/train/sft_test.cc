#include "redqueen/train/sft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/train/network_pass.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

constexpr int kSftVocabulary = 10;

// Prompt: three digits; target: the three that follow the last one, cyclically.
std::vector<TokenGroup> countings(std::uint64_t index, int count) {
  Rng rng({.seed = 41, .purpose = hash_name("sft_test"), .index = index});
  std::vector<TokenGroup> groups;
  for (int i = 0; i < count; ++i) {
    TokenGroup group;
    for (int k = 0; k < 3; ++k) {
      group.prompt.push_back(static_cast<Token>(rng.integer(0, kSftVocabulary - 1)));
    }
    group.responses.emplace_back();
    for (int k = 1; k <= 3; ++k) {
      group.responses[0].push_back((group.prompt.back() + k) % kSftVocabulary);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

Transformer sft_fresh() { return Transformer::initialise(tiny_config(kSftVocabulary), 8); }

SftOptions fast_options() {
  SftOptions options;
  options.schedule.peak = 8e-3;
  options.schedule.warmup = 10;
  options.epochs = 10;
  options.batch_tokens = 400;
  return options;
}

TEST(FineTuning, LearnsToCountAndGeneralises) {
  const Transformer model = sft_fresh();
  const auto train = countings(0, 400);
  const auto held_out = countings(1, 100);
  const double before = target_loss(model, held_out, 1000);
  EXPECT_GT(before, 1.5);
  SftOptions options = fast_options();
  options.held_out_every = 20;
  std::int64_t updates = 0;
  std::size_t evaluations = 0;
  const auto report = fine_tune(model, train, held_out, options, [&](const SftProgress& progress) {
    EXPECT_EQ(progress.update, ++updates);
    EXPECT_EQ(progress.held_out_loss.has_value(), progress.update % 20 == 0);
    evaluations += progress.held_out_loss.has_value() ? 1 : 0;
    return SftNext::kGoOn;
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->updates, updates);
  EXPECT_EQ(report->target_tokens, 10U * 400 * 3);
  EXPECT_GT(evaluations, 2U);
  EXPECT_LT(report->held_out_loss.value(), 0.3);
  EXPECT_DOUBLE_EQ(report->held_out_loss.value(), target_loss(model, held_out, 16384));
}

TEST(FineTuning, LossIsTheMeanNegativeLogLikelihoodOfTargets) {
  const Transformer model = sft_fresh();
  auto groups = countings(2, 9);
  groups[0].responses.push_back({1, 2, 3, 4, 5});
  groups[1].responses.clear();
  double sum = 0;
  double tokens = 0;
  for (const TokenGroup& group : groups) {
    for (const auto& response : group.responses) {
      const TokenGroup one{group.prompt, {response}};
      for (const float log_prob : score_tokens(model, {&one, 1}, {})) sum -= log_prob;
      tokens += static_cast<double>(response.size());
    }
  }
  for (const std::size_t budget : {1, 16, 1000}) {
    EXPECT_NEAR(target_loss(model, groups, budget), sum / tokens, 1e-5);
  }
  SftOptions options;
  options.batch_tokens = 100'000;
  const auto report = fine_tune(model, groups, {}, options);
  EXPECT_NEAR(report.value().first_loss, sum / tokens, 1e-5);
  EXPECT_FALSE(report->held_out_loss.has_value());
}

TEST(FineTuning, MicroBatchesDoNotChangeTheResult) {
  SftOptions options = fast_options();
  options.epochs = 1;
  options.optimizer.epsilon = 1;
  const auto groups = countings(3, 100);
  const Transformer whole = sft_fresh();
  const Transformer cut = sft_fresh();
  ASSERT_TRUE(fine_tune(whole, groups, {}, options).has_value());
  options.micro_batch_tokens = 50;
  ASSERT_TRUE(fine_tune(cut, groups, {}, options).has_value());
  const auto a = weights_of(whole);
  const auto b = weights_of(cut);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-6);
}

TEST(FineTuning, PairsWithOnePromptBecomeOneGroup) {
  const Tokenizer tokenizer = end_and_bytes();
  const std::vector<TextPair> pairs{{"a?", "1"}, {"b?", "2"}, {"a?", "33"}, {"c?", ""}};
  const auto groups = encode_pairs(tokenizer, pairs, Token{0});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].prompt, tokenizer.encode("a?"));
  ASSERT_EQ(groups[0].responses.size(), 2U);
  std::vector<Token> ended = tokenizer.encode("33");
  ended.push_back(0);
  EXPECT_EQ(groups[0].responses[1], ended);
  EXPECT_EQ(groups[2].responses[0], std::vector<Token>{0});
  EXPECT_EQ(encode_pairs(tokenizer, pairs, std::nullopt)[0].responses[1], tokenizer.encode("33"));
}

SftObserver stop_after(std::int64_t updates) {
  return [updates](const SftProgress& progress) {
    return progress.update < updates ? SftNext::kGoOn : SftNext::kStop;
  };
}

TEST(FineTuning, TheObserverCanEndIt) {
  const auto report = fine_tune(sft_fresh(), countings(4, 100), {}, fast_options(), stop_after(3));
  EXPECT_EQ(report.value().updates, 3);
  EXPECT_FALSE(report->complete);
}

TEST(FineTuning, GoesOnWhereItWasInterrupted) {
  const auto groups = countings(7, 300);
  SftOptions options = fast_options();
  options.epochs = 2;
  const Transformer whole = sft_fresh();
  const auto straight = fine_tune(whole, groups, {}, options);
  ASSERT_TRUE(straight);
  EXPECT_TRUE(straight->complete);
  ASSERT_GT(straight->updates, 4);

  const TestFolder folder;
  options.state = folder / "state";
  for (const std::int64_t updates : {1, 2, 4}) {
    const auto part = fine_tune(sft_fresh(), groups, {}, options, stop_after(updates));
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_EQ(part->updates, updates);
    EXPECT_FALSE(part->complete);
  }
  const Transformer resumed = sft_fresh();
  const auto rest = fine_tune(resumed, groups, {}, options);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->resumed_after, 4);
  EXPECT_EQ(rest->updates, straight->updates);
  EXPECT_EQ(rest->target_tokens, straight->target_tokens);
  EXPECT_EQ(rest->first_loss, straight->first_loss);
  EXPECT_EQ(rest->last_loss, straight->last_loss);
  EXPECT_EQ(weights_of(resumed), weights_of(whole));
}

TEST(FineTuning, RefusesTheStateOfOtherWork) {
  SftOptions options = fast_options();
  const TestFolder folder;
  options.state = folder / "state";
  ASSERT_TRUE(fine_tune(sft_fresh(), countings(8, 60), {}, options, stop_after(1)));
  const Transformer model = sft_fresh();
  const auto before = weights_of(model);
  const auto other = fine_tune(model, countings(9, 60), {}, options);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("other texts or settings"), std::string::npos);
  EXPECT_NE(other.error().message.find(options.state.string()), std::string::npos);
  options.batch_tokens += 1;
  EXPECT_FALSE(fine_tune(model, countings(8, 60), {}, options));
  EXPECT_EQ(weights_of(model), before);
}

TEST(FineTuning, RefusesWhatItCannotLearnFrom) {
  EXPECT_FALSE(fine_tune(sft_fresh(), {}, {}, {}).has_value());
  auto groups = countings(5, 3);
  groups[1].responses[0][0] = kSftVocabulary;
  EXPECT_FALSE(fine_tune(sft_fresh(), groups, {}, {}).has_value());
  groups = countings(5, 3);
  EXPECT_FALSE(fine_tune(sft_fresh(), countings(6, 3), std::vector{TokenGroup{{}, {{1}}}}, {}));
  groups[2].responses[0].assign(100, 1);
  const auto too_long = fine_tune(sft_fresh(), groups, {}, {});
  ASSERT_FALSE(too_long.has_value());
  EXPECT_NE(too_long.error().message.find("context"), std::string::npos);
}

// A failure names its batch, and leaves the parameters as they were before it.
void expect_failure_at(std::int64_t expected_update, const SftOptions& given,
                       const Transformer& model, const std::string& reason) {
  const auto groups = countings(7, 100);
  std::vector<float> before = weights_of(model);
  SftOptions options = given;
  std::int64_t failed = 0;
  std::vector<TokenGroup> batch;
  options.on_failure = [&](std::int64_t update, std::span<const TokenGroup> of) {
    failed = update;
    batch.assign(of.begin(), of.end());
  };
  const auto report = fine_tune(model, groups, {}, options, [&](const SftProgress&) {
    before = weights_of(model);
    return SftNext::kGoOn;
  });
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find(reason), std::string::npos) << report.error().message;
  EXPECT_EQ(failed, expected_update);
  ASSERT_FALSE(batch.empty());
  for (const TokenGroup& group : batch) {
    EXPECT_TRUE(std::ranges::any_of(groups, [&](const TokenGroup& known) {
      return known.prompt == group.prompt && known.responses == group.responses;
    }));
  }
  EXPECT_EQ(weights_of(model), before);
}

TEST(FineTuning, StopsBeyondTheLimits) {
  SftOptions options = fast_options();
  options.loss_limit = 0.1;
  expect_failure_at(1, options, sft_fresh(), "beyond the limit");
  options = fast_options();
  options.optimizer.gradient_norm_limit = 1e-6;
  expect_failure_at(1, options, sft_fresh(), "above the limit");
}

TEST(FineTuning, StopsAtNumbersThatAreNotFinite) {
  SftOptions options = fast_options();
  options.schedule = {.shape = ScheduleShape::kConstant, .peak = 1e30};
  expect_failure_at(2, options, sft_fresh(),
                    "pdate 2: ");  // whether of the loss or of the gradients
}

}  // namespace
}  // namespace redqueen
