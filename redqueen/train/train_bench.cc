// Training tokens per second of a small model: groups of 8, prompts of 60 tokens, responses of 20.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <cstddef>

#include "redqueen/base/rng.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

constexpr int kVocabulary = 512;
constexpr int kPrompt = 60;
constexpr int kResponse = 20;
constexpr int kRollouts = 8;

ModelConfig bench_config(int hidden) {
  ModelConfig config;
  config.vocab_size = kVocabulary;
  config.hidden_size = hidden;
  config.intermediate_size = 3 * hidden;
  config.num_hidden_layers = 4;
  config.num_attention_heads = 4;
  config.num_key_value_heads = 2;
  config.head_dim = hidden / 4;
  config.max_position_embeddings = 512;
  config.tie_word_embeddings = true;
  return config;
}

std::vector<ScoredGroup> bench_groups(std::size_t count) {
  Rng rng({.seed = 1, .purpose = hash_name("train_bench")});
  const auto token = [&] { return static_cast<Token>(rng.integer(0, kVocabulary - 1)); };
  std::vector<ScoredGroup> groups(count);
  for (ScoredGroup& group : groups) {
    for (int i = 0; i < kPrompt; ++i) group.prompt.push_back(token());
    group.rollouts.resize(kRollouts);
    for (ScoredRollout& rollout : group.rollouts) {
      rollout.reward = rng.real();
      for (int i = 0; i < kResponse; ++i) {
        rollout.completion.tokens.push_back(token());
        rollout.completion.log_probs.push_back(-6.2F);
      }
    }
  }
  return groups;
}

// range(0): hidden size; range(1): whether prompts are shared; range(2): token budget of a
// micro-batch.
void step(benchmark::State& state) {
  TrainerOptions options;
  options.share_prefix = state.range(1) != 0;
  options.micro_batch_tokens = state.range(2);
  auto trainer = EmbeddedTrainer::create(
      Transformer::initialise(bench_config(static_cast<int>(state.range(0))), 1), options);
  const auto groups = bench_groups(32);
  std::int64_t responses = 0;
  std::int64_t all = 0;
  for (auto _ : state) {
    const auto report = (*trainer)->step(groups);
    if (!report) {
      state.SkipWithError(report.error().message.c_str());
      return;
    }
    responses += report->response_tokens;
    // Prompt and response of every rollout, however often the prompt was really computed.
    all += static_cast<std::int64_t>(report->rollouts) * (kPrompt + kResponse);
  }
  const auto rate = [](std::int64_t count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
  };
  state.counters["response_tokens"] = rate(responses);
  state.counters["tokens"] = rate(all);
}

BENCHMARK(step)
    ->ArgNames({"hidden", "shared", "budget"})
    ->ArgsProduct({{64, 128, 256}, {0, 1}, {2048, 16384}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace redqueen
