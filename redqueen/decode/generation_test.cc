#include "redqueen/decode/generation.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "redqueen/decode/kept_rows.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/product.h"
#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

RandomAddress address(std::uint64_t index) {
  return {.seed = 11, .purpose = hash_name("sampling"), .index = index};
}

class GenerationTest : public testing::Test {
 protected:
  GenerationTest() : model_(Transformer::initialise(small_config(), 3)) {
    Rng rng(RandomAddress{.seed = 9});
    std::uint64_t next = 0;
    for (int g = 0; g < 6; ++g) {
      TokenPrompt prompt{random_tokens(rng, rng.integer(1, 40), 257), {}};
      for (int r = 0; r < 1 + 2 * g; ++r) prompt.addresses.push_back(address(next++));
      prompts_.push_back(std::move(prompt));
    }
  }

  std::vector<std::vector<Completion>> run(std::span<const TokenPrompt> prompts,
                                           const SampleParameters& parameters,
                                           int max_rows = 512) const {
    return generate(model_, tokenizer_, prompts, parameters, {.max_rows = max_rows});
  }

  void expect_same(const std::vector<std::vector<Completion>>& a,
                   const std::vector<std::vector<Completion>>& b) const {
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
      ASSERT_EQ(a[p].size(), b[p].size());
      for (std::size_t r = 0; r < a[p].size(); ++r) {
        EXPECT_EQ(a[p][r].tokens, b[p][r].tokens) << "prompt " << p << ", rollout " << r;
        EXPECT_EQ(a[p][r].text, b[p][r].text);
        EXPECT_EQ(a[p][r].finish, b[p][r].finish);
        ASSERT_EQ(a[p][r].log_probs.size(), b[p][r].log_probs.size());
        for (std::size_t i = 0; i < a[p][r].log_probs.size(); ++i) {
          EXPECT_NEAR(a[p][r].log_probs[i], b[p][r].log_probs[i], 2e-4);
        }
      }
    }
  }

  Transformer model_;
  Tokenizer tokenizer_ = byte_tokenizer();
  std::vector<TokenPrompt> prompts_;
};

TEST_F(GenerationTest, LogProbsAreThoseThatTrainingComputes) {
  for (const double temperature : {1.0, 0.6}) {
    const auto drawn =
        run(prompts_, {.max_new_tokens = 60, .temperature = temperature, .top_k = 40});
    std::vector<TokenGroup> groups;
    std::vector<float> sampled;
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
      groups.push_back({prompts_[p].tokens, {}});
      for (const Completion& completion : drawn[p]) {
        groups.back().responses.push_back(completion.tokens);
        ASSERT_EQ(completion.log_probs.size(), completion.tokens.size());
        sampled.insert(sampled.end(), completion.log_probs.begin(), completion.log_probs.end());
      }
    }
    at::NoGradGuard no_grad;
    const at::Tensor scores = model_.score(groups, {.temperature = temperature}).log_probs;
    ASSERT_EQ(scores.size(0), static_cast<std::int64_t>(sampled.size()));
    for (std::size_t i = 0; i < sampled.size(); ++i) {
      ASSERT_NEAR(scores[static_cast<std::int64_t>(i)].item<float>(), sampled[i], 2e-4);
    }
  }
}

TEST_F(GenerationTest, ARolloutDoesNotDependOnItsBatch) {
  const SampleParameters parameters{.max_new_tokens = 50, .top_p = 0.95};
  const auto whole = run(prompts_, parameters);
  const auto in_turns = run(prompts_, parameters, 5);
  for (std::size_t p = 0; p < prompts_.size(); ++p) {
    for (std::size_t r = 0; r < prompts_[p].addresses.size(); ++r) {
      const TokenPrompt alone{prompts_[p].tokens, {prompts_[p].addresses[r]}};
      EXPECT_EQ(whole[p][r].tokens, run(std::span(&alone, 1), parameters)[0][0].tokens);
      EXPECT_EQ(whole[p][r].tokens, in_turns[p][r].tokens);
    }
  }
  // Different addresses do differ.
  EXPECT_NE(whole[5][0].tokens, whole[5][1].tokens);
}

// A GPU makes several steps at a time; on the CPU the same steps run without being recorded.
TEST_F(GenerationTest, SeveralStepsAtATimeDrawTheSame) {
  for (const SampleParameters& parameters :
       {SampleParameters{.max_new_tokens = 50},
        SampleParameters{.max_new_tokens = 37, .temperature = 0.7, .top_k = 30, .top_p = 0.9},
        SampleParameters{.max_new_tokens = 20, .temperature = 1.4, .min_p = 0.02, .stop = {"e"}},
        SampleParameters{.max_new_tokens = 18, .temperature = 0}}) {
    const auto expected = run(prompts_, parameters);
    const auto with = [&](const SamplingLimits& limits) {
      return generate(model_, tokenizer_, prompts_, parameters, limits);
    };
    expect_same(expected, with({.multi_step = MultiStep::kAlways}));
    expect_same(expected, with({.max_rows = 7, .multi_step = MultiStep::kAlways}));
    // Memory for a few rows only.
    expect_same(expected, with({.max_pages = 9, .multi_step = MultiStep::kAlways}));
    expect_same(expected, with({.max_pages = 1, .multi_step = MultiStep::kAlways}));
  }
}

// Windows shorter than the prompts and the responses: on both ways of decoding what training
// computes.
TEST_F(GenerationTest, WindowsAreThoseOfTraining) {
  const Transformer gemma = uneven_model(family_configs()[5], 3);
  const SampleParameters parameters{.max_new_tokens = 25};
  const auto with = [&](const SamplingLimits& limits) {
    return generate(gemma, tokenizer_, prompts_, parameters, limits);
  };
  const auto expected = with({});
  expect_same(expected, with({.max_pages = 9, .multi_step = MultiStep::kAlways}));
  const at::NoGradGuard no_grad;
  for (std::size_t p = 0; p < prompts_.size(); ++p) {
    TokenGroup group{prompts_[p].tokens, {}};
    std::vector<float> sampled;
    for (const Completion& completion : expected[p]) {
      group.responses.push_back(completion.tokens);
      sampled.insert(sampled.end(), completion.log_probs.begin(), completion.log_probs.end());
    }
    const at::Tensor scores = gemma.score(std::span(&group, 1), {}).log_probs;
    ASSERT_EQ(scores.size(0), std::ssize(sampled));
    for (std::size_t i = 0; i < sampled.size(); ++i) {
      ASSERT_NEAR(scores[static_cast<std::int64_t>(i)].item<float>(), sampled[i], 2e-4);
    }
  }
}

// Rows that outgrow a small pool are put back and computed again; every response is the same.
TEST_F(GenerationTest, ATinyCacheDrawsTheSame) {
  ModelConfig config = small_config();
  config.max_position_embeddings = 400;
  config.eos_token_ids.clear();
  const Transformer endless = Transformer::initialise(config, 3);
  prompts_.resize(4);
  const SampleParameters parameters{.max_new_tokens = 150};
  for (const MultiStep multi_step : {MultiStep::kNever, MultiStep::kAlways}) {
    const auto with = [&](SamplingLimits limits) {
      limits.multi_step = multi_step;
      return generate(endless, tokenizer_, prompts_, parameters, limits);
    };
    SamplingCounts roomy;
    const auto expected = with({.counts = &roomy});
    EXPECT_EQ(roomy.put_back, 0);
    EXPECT_EQ(roomy.most_pages, 4 + 16 * 3);  // four prompts, 16 rows of 150 tokens
    for (const std::int64_t pages : {1, 8, 12, 20, 40}) {
      SamplingCounts counts;
      expect_same(expected, with({.max_pages = pages, .counts = &counts}));
      EXPECT_LT(counts.most_pages, std::max<std::int64_t>(pages, least_pages(40, 150)));
      EXPECT_GT(counts.put_back, 0) << pages << " pages";
    }
  }
}

// Rows that began earlier are never behind: those that began last wait for pages.
TEST_F(GenerationTest, ATinyCacheFinishesResponsesInTheirOrder) {
  ModelConfig config = small_config();
  config.max_position_embeddings = 400;
  config.eos_token_ids.clear();
  const Transformer endless = Transformer::initialise(config, 3);
  prompts_.resize(4);
  std::vector<std::pair<std::size_t, std::size_t>> ended, in_order;
  for (std::size_t p = 0; p < prompts_.size(); ++p) {
    for (std::size_t r = 0; r < prompts_[p].addresses.size(); ++r) in_order.emplace_back(p, r);
  }
  SamplingCounts counts;
  const auto note = [&](std::size_t prompt, std::size_t response, const Completion& completion) {
    if (completion.tokens.size() == 150) ended.emplace_back(prompt, response);
  };
  generate(endless, tokenizer_, prompts_, {.max_new_tokens = 150},
           {.max_pages = 12, .on_draw = note, .counts = &counts});
  EXPECT_GT(counts.put_back, 0);
  EXPECT_EQ(ended, in_order);
}

// Responses that wait begin together, as soon as an eighth of all places is free.
TEST_F(GenerationTest, FreePlacesAreTakenAnEighthAtATime) {
  ModelConfig config = small_config();
  config.max_position_embeddings = 128;  // so a prompt's length says how long its responses are
  config.eos_token_ids.clear();
  const Transformer endless = Transformer::initialise(config, 3);
  Rng rng(RandomAddress{.seed = 10});
  std::vector<TokenPrompt> prompts;
  std::uint64_t next = 0;
  for (const auto& [length, responses] :
       {std::pair{28, 13}, std::pair{128 - 10, 2}, std::pair{128 - 5, 1}, std::pair{28, 9}}) {
    TokenPrompt& prompt = prompts.emplace_back(TokenPrompt{random_tokens(rng, length, 257), {}});
    for (int r = 0; r < responses; ++r) prompt.addresses.push_back(address(next++));
  }
  std::size_t first_length = 0;          // of the first response, which ends late
  std::vector<std::size_t> began(9, 0);  // those of the last prompt: when the first was so long
  const auto note = [&](std::size_t prompt, std::size_t response, const Completion& completion) {
    if (prompt == 0 && response == 0) first_length = completion.tokens.size();
    if (prompt == 3 && completion.tokens.size() == 1) began[response] = first_length;
  };
  generate(endless, tokenizer_, prompts, {.max_new_tokens = 60}, {.max_rows = 16, .on_draw = note});
  // One place of sixteen is free after five tokens, three are after ten.
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GE(began[i], 10U);
    EXPECT_LE(began[i], 12U);
  }
  for (std::size_t i = 3; i < began.size(); ++i) EXPECT_EQ(began[i], 60U);
}

// The last token of a response has not passed the network: it has no keys and values.
TEST_F(GenerationTest, KeepsAllTokensOfARowButTheLast) {
  for (TokenPrompt& prompt : prompts_) prompt.keep = true;
  KeptRows kept(std::int64_t{1} << 30);
  const auto drawn =
      generate(model_, tokenizer_, prompts_, {.max_new_tokens = 20}, {.kept = &kept});
  for (std::size_t p = 0; p < prompts_.size(); ++p) {
    for (const Completion& completion : drawn[p]) {
      std::vector<Token> tokens = prompts_[p].tokens;
      tokens.insert(tokens.end(), completion.tokens.begin(), completion.tokens.end());
      EXPECT_EQ(kept.find(tokens), nullptr);
      tokens.pop_back();
      const auto row = kept.find(tokens);
      ASSERT_NE(row, nullptr);
      EXPECT_EQ(row->layers.front().keys.size(0), std::ssize(tokens));
    }
  }
}

// A prompt that is longer than a pass is computed in parts.
TEST_F(GenerationTest, PromptsAreComputedInPassesOfSoManyTokens) {
  const SampleParameters parameters{.max_new_tokens = 20};
  const auto expected = run(prompts_, parameters);
  std::int64_t longest = 0, all = 0;
  for (const TokenPrompt& prompt : prompts_) {
    longest = std::max<std::int64_t>(longest, std::ssize(prompt.tokens));
    all += std::ssize(prompt.tokens);
  }
  for (const std::int64_t limit : {std::int64_t{1}, longest / 3, longest + 5, all}) {
    SamplingCounts counts;
    expect_same(expected, generate(model_, tokenizer_, prompts_, parameters,
                                   {.prompt_tokens = limit, .counts = &counts}));
    EXPECT_LE(counts.most_prompt_tokens, limit);
    EXPECT_EQ(counts.most_prompt_tokens == all, limit == all);
  }
}

// Rows that were put back pass the network in parts, too.
TEST_F(GenerationTest, RowsThatWerePutBackPassInParts) {
  ModelConfig config = small_config();
  config.max_position_embeddings = 400;
  config.eos_token_ids.clear();
  const Transformer endless = Transformer::initialise(config, 3);
  prompts_.resize(3);
  const SampleParameters parameters{.max_new_tokens = 150};
  for (const MultiStep multi_step : {MultiStep::kNever, MultiStep::kAlways}) {
    const auto with = [&](SamplingLimits limits) {
      limits.multi_step = multi_step;
      return generate(endless, tokenizer_, prompts_, parameters, limits);
    };
    const auto expected = with({});
    SamplingCounts counts;
    expect_same(expected, with({.max_pages = 8, .prompt_tokens = 50, .counts = &counts}));
    EXPECT_GT(counts.put_back, 0);
    EXPECT_EQ(counts.most_prompt_tokens, 50);
  }
}

TEST_F(GenerationTest, TokensFollowTheDistribution) {
  TokenPrompt prompt{prompts_[2].tokens, {}};
  constexpr int kDraws = 4000;
  for (std::uint64_t i = 0; i < kDraws; ++i) prompt.addresses.push_back(address(1000 + i));
  const auto drawn = run(std::span(&prompt, 1), {.max_new_tokens = 1, .temperature = 1.3});
  at::NoGradGuard no_grad;
  const at::Tensor p = at::softmax(model_.logits(prompt.tokens)[-1] / 1.3, -1);
  std::vector<int> counts(257);
  for (const Completion& completion : drawn[0]) ++counts[completion.tokens[0]];
  for (int token = 0; token < 257; ++token) {
    const double expected = kDraws * p[token].item<double>();
    EXPECT_NEAR(counts[token], expected, 5 * std::sqrt(expected) + 3);
  }
}

TEST_F(GenerationTest, EndsWhereItShould) {
  const auto drawn = run(prompts_, {.max_new_tokens = 70, .temperature = 1.5, .stop = {"a", "bc"}});
  int stopped = 0, ended = 0;
  for (std::size_t p = 0; p < prompts_.size(); ++p) {
    for (const Completion& completion : drawn[p]) {
      std::vector<Token> tokens = completion.tokens;
      const bool end_of_text = tokens.back() == 0;
      if (end_of_text) tokens.pop_back();
      EXPECT_THAT(tokens, testing::Not(testing::Contains(0)));
      EXPECT_EQ(completion.text, tokenizer_.decode(tokens));
      const bool stop = completion.text.ends_with("a") || completion.text.ends_with("bc");
      const std::string before =
          completion.text.substr(0, completion.text.empty() ? 0 : completion.text.size() - 1);
      EXPECT_EQ(before.find('a'), std::string::npos);
      EXPECT_EQ(before.find("bc"), std::string::npos);
      EXPECT_EQ(completion.finish == FinishReason::kStop, stop || end_of_text);
      EXPECT_TRUE(completion.finish == FinishReason::kStop || tokens.size() == 70);
      stopped += stop;
      ended += end_of_text;
    }
  }
  EXPECT_GT(stopped, 0);
  EXPECT_GT(ended, 0);
}

TEST_F(GenerationTest, ATokenMayCarryMoreThanTheStopString) {
  const Tokenizer merged = train_bpe(std::vector<std::string>(9, "xyz"),
                                     {.vocab_size = 259, .special_tokens = {"<end>"}})
                               .value();
  ASSERT_TRUE(merged.token_id("xyz").has_value());
  ModelConfig config = small_config();
  config.vocab_size = 259;
  const Transformer model = Transformer::initialise(config, 4);
  TokenPrompt prompt{{1, 2, 3}, {}};
  for (std::uint64_t i = 0; i < 600; ++i) prompt.addresses.push_back(address(i));
  const auto drawn = generate(model, merged, std::span(&prompt, 1),
                              {.max_new_tokens = 20, .temperature = 2.0, .stop = {"y"}});
  int cut = 0;
  for (const Completion& completion : drawn[0]) {
    if (completion.tokens.back() == *merged.token_id("xyz")) {
      ++cut;
      EXPECT_TRUE(completion.text.ends_with("xy"));
      EXPECT_EQ(completion.finish, FinishReason::kStop);
    }
  }
  EXPECT_GT(cut, 0);
}

TEST_F(GenerationTest, TheContextIsALimit) {
  Rng rng(RandomAddress{.seed = 10});
  const TokenPrompt prompt{random_tokens(rng, 120, 257), {address(1), address(2), address(3)}};
  ModelConfig config = small_config();
  config.eos_token_ids.clear();
  const Transformer endless = Transformer::initialise(config, 3);
  const auto drawn = generate(endless, tokenizer_, std::span(&prompt, 1), {.max_new_tokens = 50});
  for (const Completion& completion : drawn[0]) {
    EXPECT_EQ(completion.tokens.size(), 8u);
    EXPECT_EQ(completion.finish, FinishReason::kLength);
  }
}

TEST_F(GenerationTest, NoRolloutsGiveNoCompletions) {
  const std::vector<TokenPrompt> prompts = {{{1, 2}, {}}, {{3}, {address(1)}}, {{4}, {}}};
  const auto drawn = run(prompts, {.max_new_tokens = 3});
  EXPECT_EQ(drawn[0].size(), 0u);
  EXPECT_EQ(drawn[1].size(), 1u);
  EXPECT_EQ(drawn[2].size(), 0u);
}

// How far the sampler's log-probabilities are from those of a forward pass with gradients, as
// training reports it.
struct Mismatch {
  double mean = 0, kl = 0;
};

Mismatch mismatch_of(const Transformer& model, std::span<const TokenPrompt> prompts,
                     const std::vector<std::vector<Completion>>& drawn, double temperature) {
  std::vector<TokenGroup> groups;
  std::vector<float> sampled;
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    groups.push_back({prompts[p].tokens, {}});
    for (const Completion& completion : drawn[p]) {
      groups.back().responses.push_back(completion.tokens);
      sampled.insert(sampled.end(), completion.log_probs.begin(), completion.log_probs.end());
    }
  }
  const at::Tensor scores = model.score(groups, {.temperature = temperature}).log_probs;
  Mismatch result;
  EXPECT_EQ(scores.size(0), std::ssize(sampled));
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    const double m = scores[static_cast<std::int64_t>(i)].item<double>() - sampled[i];
    result.mean += std::abs(m) / static_cast<double>(sampled.size());
    result.kl += (std::exp(m) - 1 - m) / static_cast<double>(sampled.size());
  }
  return result;
}

// In bfloat16 one sum in another order tips a rounding, which later layers make larger: sampler and
// trainer agree only where both make the same operations in the same order.
TEST_F(GenerationTest, InBfloat16TheTrainerComputesWhatTheSamplerDid) {
  if (has_bfloat16_units()) GTEST_SKIP() << "libtorch multiplies here (product.h)";
  for (ModelConfig config : family_configs()) {
    for (const bool adapted : {false, true}) {
      SCOPED_TRACE(testing::Message() << name_of(config.family) << (adapted ? ", adapted" : ""));
      const Transformer model = uneven_model(config, 3, {.dtype = at::kBFloat16});
      if (adapted) {
        ASSERT_TRUE(add_adapters(model, {.rank = 4}, 5));
        const at::NoGradGuard no_grad;
        for (const NamedTensor& parameter : adapter_parameters(model)) {
          const at::Tensor wave = at::arange(parameter.tensor.numel(), at::kFloat).sin_();
          parameter.tensor.add_(wave.mul_(0.05).view(parameter.tensor.sizes()));
        }
      }
      for (const double temperature : {1.0, 0.7}) {
        const auto drawn = generate(model, tokenizer_, prompts_,
                                    {.max_new_tokens = 40, .temperature = temperature}, {});
        const Mismatch found = mismatch_of(model, prompts_, drawn, temperature);
        EXPECT_LE(found.mean, 1e-3);
        EXPECT_LE(found.kl, 1e-5);
      }
    }
  }
}

TEST(SampleParametersCheck, NamesWhatIsWrong) {
  const auto message = [](const SampleParameters& parameters) {
    const Status status = check(parameters);
    return status ? std::string() : status.error().message;
  };
  using testing::HasSubstr;
  EXPECT_EQ(message({}), "");
  EXPECT_THAT(message({.max_new_tokens = 0}), HasSubstr("max_new_tokens"));
  EXPECT_THAT(message({.temperature = -1}), HasSubstr("temperature"));
  EXPECT_THAT(message({.temperature = std::nan("")}), HasSubstr("temperature"));
  EXPECT_THAT(message({.top_k = -1}), HasSubstr("top_k"));
  EXPECT_THAT(message({.top_p = 0}), HasSubstr("top_p"));
  EXPECT_THAT(message({.top_p = 1.1}), HasSubstr("top_p"));
  EXPECT_THAT(message({.min_p = 1.1}), HasSubstr("min_p"));
  EXPECT_THAT(message({.stop = {"a", ""}}), HasSubstr("stop"));
}

}  // namespace
}  // namespace redqueen
