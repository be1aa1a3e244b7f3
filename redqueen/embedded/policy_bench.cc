// Tokens per second of sampling and of scores with their gradients, for the model sizes of the
// quick start.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/autograd.h>

#include "redqueen/decode/decoder.h"
#include "redqueen/model/transformer.h"

namespace redqueen {
namespace {

constexpr int kGroups = 16, kResponses = 16, kPrompt = 64;

ModelConfig config_of(int hidden, int layers) {
  ModelConfig config;
  config.vocab_size = 1024;
  config.hidden_size = hidden;
  config.intermediate_size = hidden * 3;
  config.num_hidden_layers = layers;
  config.num_attention_heads = hidden / 32;
  config.num_key_value_heads = std::max(1, hidden / 64);
  config.head_dim = 32;
  config.max_position_embeddings = 512;
  config.tie_word_embeddings = true;
  return config;
}

std::vector<Token> tokens_of(Rng& rng, std::int64_t count) {
  std::vector<Token> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<Token>(rng.below(1024)));
  return tokens;
}

// Arguments: hidden size, layers.
void score_and_differentiate(benchmark::State& state, bool share_prefix) {
  const Transformer model =
      Transformer::initialise(config_of(int(state.range(0)), int(state.range(1))), 1);
  Rng rng(RandomAddress{.seed = 1});
  std::vector<TokenGroup> groups(kGroups);
  std::int64_t tokens = 0;
  for (TokenGroup& group : groups) {
    group.prompt = tokens_of(rng, kPrompt);
    for (int r = 0; r < kResponses; ++r) {
      group.responses.push_back(tokens_of(rng, rng.integer(10, 100)));
      tokens += group.responses.back().size();
    }
  }
  std::vector<at::Tensor> leaves;
  for (const NamedTensor& parameter : model.parameters()) leaves.push_back(parameter.tensor);
  for (auto _ : state) {
    const at::Tensor loss = model.score(groups, {.share_prefix = share_prefix}).log_probs.mean();
    benchmark::DoNotOptimize(torch::autograd::grad({loss}, leaves));
  }
  state.counters["response_tokens/s"] =
      benchmark::Counter(double(tokens * state.iterations()), benchmark::Counter::kIsRate);
}

void BM_ScoreShared(benchmark::State& state) { score_and_differentiate(state, true); }
void BM_ScoreSeparate(benchmark::State& state) { score_and_differentiate(state, false); }

// 256 rows, 64 steps, no row leaves; without drawing.
void BM_Decode(benchmark::State& state) {
  const Transformer model =
      Transformer::initialise(config_of(int(state.range(0)), int(state.range(1))), 1);
  Rng rng(RandomAddress{.seed = 1});
  constexpr int kSteps = 64;
  std::vector<std::vector<Token>> prompts;
  std::vector<PromptTokens> given;
  std::vector<std::int64_t> prompt_of_row;
  for (int g = 0; g < kGroups; ++g) {
    prompts.push_back(tokens_of(rng, kPrompt));
    prompt_of_row.insert(prompt_of_row.end(), kResponses, g);
  }
  for (const std::vector<Token>& prompt : prompts) given.push_back({prompt});
  const std::vector<Token> tokens = tokens_of(rng, kGroups * kResponses);
  for (auto _ : state) {
    Decoder decoder(model, kPrompt + kSteps);
    benchmark::DoNotOptimize(decoder.add_prompts(given));
    for (const std::int64_t prompt : prompt_of_row) decoder.add_rows(prompt, 1);
    for (int i = 0; i < kSteps; ++i) benchmark::DoNotOptimize(decoder.step(tokens));
  }
  state.counters["tokens/s"] = benchmark::Counter(
      double(kGroups * kResponses * kSteps * state.iterations()), benchmark::Counter::kIsRate);
}

#define REDQUEEN_SIZES \
  ->Args({64, 2})->Args({128, 4})->Args({256, 6})->UseRealTime()->Unit(benchmark::kMillisecond)
BENCHMARK(BM_ScoreShared) REDQUEEN_SIZES;
BENCHMARK(BM_ScoreSeparate) REDQUEEN_SIZES;
BENCHMARK(BM_Decode) REDQUEEN_SIZES;

}  // namespace
}  // namespace redqueen
