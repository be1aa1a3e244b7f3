// The shapes of bench/peers.py, which puts these times beside those of other engines: one thread,
// CPU milliseconds of a step of decoding, of a step of training, and of a step of GRPO.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/decode/decoder.h"
#include "redqueen/decode/generation.h"
#include "redqueen/text/bpe_trainer.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

struct Shape {
  const char* name;
  int vocabulary, hidden, inner, layers, heads, kv_heads, head_dim;
  int groups, rollouts, prompt, response;  // of a step of training
  std::vector<int> decoded;                // rows of a step of decoding
  int prefill = 0;                         // tokens of a prompt that is computed by itself
};

// As in bench/peers.py.
std::vector<Shape> shapes() {
  return {{"0.5M", 1200, 96, 256, 4, 4, 2, 24, 8, 8, 64, 48, {1, 16}},
          {"100M", 32000, 768, 2304, 12, 12, 4, 64, 2, 8, 128, 64, {1, 16}},
          {"100M-group", 32000, 768, 2304, 12, 12, 4, 64, 1, 16, 256, 64, {}},
          {"SmolLM2-135M", 49152, 576, 1536, 30, 9, 3, 64, 4, 8, 64, 64, {1, 8, 32}, 512}};
}
constexpr int kPrompt = 64, kSteps = 64;  // of decoding

ModelConfig config_of(const Shape& shape) {
  ModelConfig config;
  config.vocab_size = shape.vocabulary;
  config.hidden_size = shape.hidden;
  config.intermediate_size = shape.inner;
  config.num_hidden_layers = shape.layers;
  config.num_attention_heads = shape.heads;
  config.num_key_value_heads = shape.kv_heads;
  config.head_dim = shape.head_dim;
  config.max_position_embeddings = 1024;
  config.tie_word_embeddings = true;
  return config;
}

std::vector<Token> tokens_of(Rng& rng, std::int64_t count, const Shape& shape) {
  std::vector<Token> tokens;
  for (std::int64_t i = 0; i < count; ++i)
    tokens.push_back(static_cast<Token>(rng.integer(1, shape.vocabulary - 1)));
  return tokens;
}

TransformerOptions options_of(bool bfloat16) {
  return {.dtype = bfloat16 ? at::kBFloat16 : at::kFloat};
}

// kSteps steps of `rows` rows behind one prompt, with what they predict; time is that of one step.
void decode(benchmark::State& state, const Shape& shape, bool bfloat16, int rows) {
  at::set_num_threads(1);
  const Transformer model = Transformer::initialise(config_of(shape), 1, options_of(bfloat16));
  Rng rng(RandomAddress{.seed = 1});
  const std::vector<Token> prompt = tokens_of(rng, kPrompt, shape);
  const std::vector<Token> drawn = tokens_of(rng, rows, shape);
  Decoder decoder(model, kPrompt + kSteps + 1);
  const PromptTokens given{prompt};
  benchmark::DoNotOptimize(decoder.add_prompts({&given, 1}));
  decoder.add_rows(0, rows);
  for (auto _ : state) {
    const at::Tensor logits = decoder.step(drawn);
    benchmark::DoNotOptimize(at::softmax(logits, -1, at::kFloat));
  }
}

// One prompt and what it predicts.
void prefill(benchmark::State& state, const Shape& shape, bool bfloat16) {
  at::set_num_threads(1);
  const Transformer model = Transformer::initialise(config_of(shape), 1, options_of(bfloat16));
  Rng rng(RandomAddress{.seed = 1});
  const std::vector<Token> prompt = tokens_of(rng, shape.prefill, shape);
  const PromptTokens given{prompt};
  for (auto _ : state) {
    Decoder decoder(model, shape.prefill + 1);
    benchmark::DoNotOptimize(decoder.add_prompts({&given, 1}));
  }
}

std::unique_ptr<EmbeddedTrainer> trainer_of(const Transformer& model, benchmark::State& state) {
  auto trainer = EmbeddedTrainer::create(model, TrainerOptions{});
  if (trainer) return std::move(*trainer);
  state.SkipWithError(trainer.error().message.c_str());
  return nullptr;
}

void learn(EmbeddedTrainer& trainer, std::span<const ScoredGroup> groups, benchmark::State& state) {
  if (const auto report = trainer.step(groups); !report)
    state.SkipWithError(report.error().message.c_str());
}

// Groups with a shared prompt through forward, backward and AdamW.
void train(benchmark::State& state, const Shape& shape, bool bfloat16) {
  at::set_num_threads(1);
  const Transformer model = Transformer::initialise(config_of(shape), 1, options_of(bfloat16));
  const auto trainer = trainer_of(model, state);
  if (!trainer) return;
  Rng rng(RandomAddress{.seed = 2});
  std::vector<ScoredGroup> groups(static_cast<std::size_t>(shape.groups));
  for (ScoredGroup& group : groups) {
    group.prompt = tokens_of(rng, shape.prompt, shape);
    group.rollouts.resize(static_cast<std::size_t>(shape.rollouts));
    for (ScoredRollout& rollout : group.rollouts) {
      rollout.reward = rng.real();
      rollout.completion.tokens = tokens_of(rng, shape.response, shape);
      rollout.completion.log_probs.assign(static_cast<std::size_t>(shape.response), -7.0F);
    }
  }
  learn(*trainer, groups, state);  // warms up
  for (auto _ : state) learn(*trainer, groups, state);
}

// Prompts, their responses, which never end before their limit, rewards of 0 and 1, and a step of
// training on them.
void grpo(benchmark::State& state, const Shape& shape, bool bfloat16) {
  at::set_num_threads(1);
  const Transformer model = Transformer::initialise(config_of(shape), 1, options_of(bfloat16));
  const auto trainer = trainer_of(model, state);
  if (!trainer) return;
  // The responses' texts are nobody's business.
  const Tokenizer tokenizer =
      train_bpe(std::vector<std::string>{}, {.vocab_size = 257, .special_tokens = {"<end>"}})
          .value();
  std::uint64_t next = 0;
  const auto step = [&] {
    Rng rng(RandomAddress{.seed = 3});
    std::vector<TokenPrompt> prompts(static_cast<std::size_t>(shape.groups));
    for (TokenPrompt& prompt : prompts) {
      prompt.tokens = tokens_of(rng, shape.prompt, shape);
      for (int i = 0; i < shape.rollouts; ++i)
        prompt.addresses.push_back({.seed = 4, .index = next++});
    }
    auto drawn = generate(model, tokenizer, prompts, {.max_new_tokens = shape.response});
    std::vector<ScoredGroup> groups(prompts.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].prompt = prompts[i].tokens;
      for (Completion& completion : drawn[i]) {
        if (std::ssize(completion.tokens) != shape.response)
          state.SkipWithError("a short response");
        const auto reward = static_cast<double>(groups[i].rollouts.size() % 2);
        groups[i].rollouts.push_back({.completion = std::move(completion), .reward = reward});
      }
    }
    learn(*trainer, groups, state);
  };
  step();  // warms up
  for (auto _ : state) step();
}

// Names as peers.py asks for them: decode/100M/bfloat16/16, train/100M/float32, grpo/100M/float32.
const bool registered = [] {
  for (const Shape& shape : shapes()) {
    for (const bool bfloat16 : {false, true}) {
      const std::string which = std::string(shape.name) + "/" + (bfloat16 ? "bfloat16" : "float32");
      for (const int rows : shape.decoded) {
        benchmark::RegisterBenchmark(("decode/" + which + "/" + std::to_string(rows)).c_str(),
                                     decode, shape, bfloat16, rows)
            ->Iterations(kSteps)
            ->Unit(benchmark::kMillisecond);
      }
      if (shape.prefill > 0) {
        benchmark::RegisterBenchmark(("prefill/" + which).c_str(), prefill, shape, bfloat16)
            ->Iterations(2)
            ->Unit(benchmark::kMillisecond);
      }
      for (const bool sampled : {false, true}) {
        benchmark::RegisterBenchmark(((sampled ? "grpo/" : "train/") + which).c_str(),
                                     sampled ? grpo : train, shape, bfloat16)
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace redqueen
