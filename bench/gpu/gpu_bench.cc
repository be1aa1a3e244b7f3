// Speed of sampling and training on a device, for bench/gpu.sh.
//
//     gpu_bench '{"folder": "CHECKPOINT", "device": "cuda", "dtype": "bfloat16", …}'
//
// Prints one JSON object a measurement, as soon as it is made. The keys of the request are in
// `Request`.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/decode/generation.h"
#include "redqueen/model/transformer.h"
#include "redqueen/text/bpe_trainer.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

using nlohmann::json;

struct Request {
  std::string folder;                          // Hugging Face folder
  std::string device = "cpu";                  // or "cuda"
  std::string dtype = "float32";               // or "bfloat16"
  bool bursts = false;                         // draw on the device even if it is the CPU
  std::vector<int> batches = {1, 64, 512};     // rows of sampling
  int prompt = 128, tokens = 256;              // of every row, in sampling
  int train_groups = 16, train_rollouts = 8;   // a step of training
  int train_prompt = 256, train_tokens = 512;  // of every rollout
  std::size_t micro_batch_tokens = 16384;      // of a micro-batch
  bool checkpointing = false;
  int grpo_prompts = 8, grpo_rollouts = 8;  // a step end to end
  int repeats = 2;
  std::size_t copy_bytes = std::size_t{1} << 31;
  std::int64_t product_size = 8192;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Request, folder, device, dtype, bursts, batches,
                                                prompt, tokens, train_groups, train_rollouts,
                                                train_prompt, train_tokens, micro_batch_tokens,
                                                checkpointing, grpo_prompts, grpo_rollouts, repeats,
                                                copy_bytes, product_size)

void print(const json& result) {
  std::puts(result.dump().c_str());
  std::fflush(stdout);
}

// Seconds since some moment, after all that was asked of the device is done.
double seconds(const at::Tensor& probe) {
  probe.sum().item<double>();  // waits
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Bench {
 public:
  Bench(const Request& request, const Transformer& model)
      : r_(request), model_(model), probe_(at::zeros({1}, numbers())) {
    for (const NamedTensor& parameter : model.parameters()) {
      parameters_ += static_cast<double>(parameter.tensor.numel());
    }
    const ModelConfig& c = model.config();
    // A step of decoding reads every weight once; of an embedding that is not the output, a row.
    embedding_ = static_cast<double>(c.vocab_size) * c.hidden_size;
    read_ = parameters_ - (c.tie_word_embeddings ? 0 : embedding_);
  }

  void run() {
    measure_floor();
    for (const int rows : r_.batches) measure_sampling(rows);
    make_trainer();
    measure_training();
    measure_grpo();
  }

 private:
  at::TensorOptions numbers() const {
    return at::TensorOptions().dtype(model_.options().dtype).device(model_.options().device);
  }
  double number_bytes() const { return static_cast<double>(probe_.element_size()); }

  // What memory and matrix units do at best.
  void measure_floor() {
    const auto size = static_cast<std::int64_t>(r_.copy_bytes);
    const at::Tensor from = at::zeros({size}, numbers().dtype(at::kByte)), to = from.clone();
    const double copy = best_of([&] { to.copy_(from); }, 8);
    bandwidth_ = 2 * static_cast<double>(size) / copy;
    const at::Tensor a = at::randn({r_.product_size, r_.product_size}, numbers());
    at::Tensor product = a.mm(a);
    const double once = best_of([&] { at::mm_out(product, a, a); }, 8);
    const auto n = static_cast<double>(r_.product_size);
    matrix_rate_ = 2 * n * n * n / once;
    print({{"what", "device"},
           {"parameters", parameters_},
           {"copy_bytes_per_second", bandwidth_},
           {"matrix_flops", matrix_rate_}});
  }

  // Seconds of one of `times` in a row, the best of three runs.
  template <typename Work>
  double best_of(const Work& work, int times) const {
    work();
    double best = 1e30;
    for (int run = 0; run < 3; ++run) {
      const double begin = seconds(probe_);
      for (int i = 0; i < times; ++i) work();
      best = std::min(best, (seconds(probe_) - begin) / times);
    }
    return best;
  }

  std::vector<TokenPrompt> prompts(int count, int rollouts, int length) const {
    Rng rng(RandomAddress{.seed = 1, .purpose = hash_name("gpu_bench")});
    std::vector<TokenPrompt> result(static_cast<std::size_t>(count));
    std::uint64_t next = 0;
    for (TokenPrompt& prompt : result) {
      for (int i = 0; i < length; ++i) {
        prompt.tokens.push_back(static_cast<Token>(rng.integer(1, model_.config().vocab_size - 1)));
      }
      for (int i = 0; i < rollouts; ++i) prompt.addresses.push_back({.seed = 2, .index = next++});
    }
    return result;
  }

  std::vector<std::vector<Completion>> sample(std::span<const TokenPrompt> asked, int rows) const {
    const SampleParameters parameters{.max_new_tokens = r_.tokens};
    return generate(
        model_, tokenizer_, asked, parameters,
        {.max_rows = rows, .multi_step = r_.bursts ? MultiStep::kAlways : MultiStep::kOnGpu});
  }

  void measure_sampling(int rows) {
    const int rollouts = std::min(rows, 8), count = (rows + rollouts - 1) / rollouts;
    const auto asked = prompts(count, rollouts, r_.prompt);
    double best = 1e30;
    for (int i = 0; i <= r_.repeats; ++i) {
      const double begin = seconds(probe_);
      const auto drawn = sample(asked, rows);
      const double took = seconds(probe_) - begin;
      if (i > 0) best = std::min(best, took);  // the first run warms libraries up
    }
    const ModelConfig& c = model_.config();
    const double a_token = 2.0 * c.num_hidden_layers * c.num_key_value_heads * c.head_dim;
    const double cached = a_token * (double(count) * r_.prompt + rows * r_.tokens / 2.0);
    const double bytes = number_bytes() * (read_ + cached);
    const double floor = r_.tokens * bytes / bandwidth_;
    print({{"what", "sampling"},
           {"rows", rows},
           {"prompt", r_.prompt},
           {"tokens", r_.tokens},
           {"seconds", best},
           {"tokens_per_second", rows * r_.tokens / best},
           {"floor_seconds", floor},
           {"times_floor", best / floor}});
  }

  void make_trainer() {
    TrainerOptions options;
    options.micro_batch_tokens = r_.micro_batch_tokens;
    options.activation_checkpointing = r_.checkpointing;
    auto made = EmbeddedTrainer::create(model_, options);
    if (!made) throw std::runtime_error(made.error().message);
    trainer_ = std::move(*made);
  }

  double train(std::span<const ScoredGroup> groups) {
    const double begin = seconds(probe_);
    const auto report = trainer_->step(groups);
    if (!report) throw std::runtime_error(report.error().message);
    return seconds(probe_) - begin;
  }

  std::vector<ScoredGroup> scored(std::span<const TokenPrompt> asked,
                                  std::vector<std::vector<Completion>> drawn) const {
    Rng rng(RandomAddress{.seed = 3, .purpose = hash_name("rewards")});
    std::vector<ScoredGroup> groups(asked.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      groups[g].prompt = asked[g].tokens;
      for (Completion& completion : drawn[g]) {
        groups[g].rollouts.push_back({.completion = std::move(completion), .reward = rng.real()});
      }
    }
    return groups;
  }

  // Operations that a pass of these groups needs by the model's formula, each prompt counted once:
  // 6 a parameter and token, less those of the embedding and of the output where nothing is
  // predicted, and 12 a layer, query, key and number of a head. What checkpointing computes twice
  // counts once.
  double needed_flops(std::span<const ScoredGroup> groups) const {
    const ModelConfig& c = model_.config();
    const double body = read_ - embedding_;
    double tokens = 0, predicted = 0, pairs = 0;
    for (const ScoredGroup& group : groups) {
      const auto prompt = static_cast<double>(group.prompt.size());
      tokens += prompt;
      pairs += prompt * prompt / 2;
      for (const ScoredRollout& rollout : group.rollouts) {
        const auto length = static_cast<double>(rollout.completion.tokens.size());
        tokens += length;
        predicted += length;
        pairs += length * (prompt + length / 2);
      }
    }
    const double heads = double(c.num_attention_heads) * c.head_dim * c.num_hidden_layers;
    return 6 * (body * tokens + embedding_ * predicted) + 12 * heads * pairs;
  }

  void measure_training() {
    const auto asked = prompts(r_.train_groups, r_.train_rollouts, r_.train_prompt);
    Rng rng(RandomAddress{.seed = 4, .purpose = hash_name("responses")});
    std::vector<std::vector<Completion>> drawn(asked.size());
    double tokens = 0;
    for (auto& group : drawn) {
      group.resize(static_cast<std::size_t>(r_.train_rollouts));
      for (Completion& completion : group) {
        // A quarter of the responses is short, as in life.
        const int length = rng.below(4) == 0 ? r_.train_tokens / 2 : r_.train_tokens;
        for (int i = 0; i < length; ++i) {
          completion.tokens.push_back(
              static_cast<Token>(rng.integer(1, model_.config().vocab_size - 1)));
          completion.log_probs.push_back(-10.0f);
        }
        tokens += length;
      }
    }
    const auto groups = scored(asked, std::move(drawn));
    double best = 1e30;
    for (int i = 0; i <= r_.repeats; ++i) {
      const double took = train(groups);
      if (i > 0) best = std::min(best, took);
    }
    const double flops = needed_flops(groups);
    print({{"what", "training"},
           {"groups", r_.train_groups},
           {"rollouts", r_.train_rollouts},
           {"prompt", r_.train_prompt},
           {"response_tokens", tokens},
           {"checkpointing", r_.checkpointing},
           {"seconds", best},
           {"response_tokens_per_second", tokens / best},
           {"flops", flops / best},
           {"utilisation", flops / best / matrix_rate_}});
  }

  void measure_grpo() {
    const auto asked = prompts(r_.grpo_prompts, r_.grpo_rollouts, r_.prompt);
    double best = 1e30, sampling = 0, tokens = 0;
    for (int i = 0; i <= r_.repeats; ++i) {
      const double begin = seconds(probe_);
      auto drawn = sample(asked, r_.grpo_prompts * r_.grpo_rollouts);
      const double sampled = seconds(probe_) - begin;
      double count = 0;
      for (const auto& group : drawn) {
        for (const Completion& completion : group) count += double(completion.tokens.size());
      }
      const double took = sampled + train(scored(asked, std::move(drawn)));
      if (i == 0 || took > best) continue;
      best = took;
      sampling = sampled;
      tokens = count;
    }
    print({{"what", "grpo"},
           {"prompts", r_.grpo_prompts},
           {"rollouts", r_.grpo_rollouts},
           {"prompt", r_.prompt},
           {"response_tokens", tokens},
           {"seconds", best},
           {"sampling_seconds", sampling},
           {"response_tokens_per_second", tokens / best}});
  }

  const Request r_;
  const Transformer model_;
  const Tokenizer tokenizer_ =
      train_bpe(std::vector<std::string>{}, {.vocab_size = 257, .special_tokens = {"<end>"}})
          .value();
  std::unique_ptr<EmbeddedTrainer> trainer_;
  at::Tensor probe_;
  double parameters_ = 0, embedding_ = 0, read_ = 0, bandwidth_ = 0, matrix_rate_ = 0;
};

int main_of(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: gpu_bench JSON\n");
    return 2;
  }
  try {
    const auto request = json::parse(argv[1]).get<Request>();
    const auto model = Transformer::load(
        request.folder, {.dtype = request.dtype == "bfloat16" ? at::kBFloat16 : at::kFloat,
                         .device = at::Device(request.device)});
    if (!model) throw std::runtime_error(model.error().message);
    Bench(request, *model).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace redqueen

int main(int argc, char** argv) { return redqueen::main_of(argc, argv); }
