#include "redqueen/policy/embedded_policy.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "redqueen/policy/generation.h"
#include "redqueen/policy/transformer.h"

namespace redqueen {
namespace {

Expected<TransformerOptions> transformer_options(const EmbeddedPolicyOptions& options) {
  TransformerOptions result;
  if (options.dtype == "bfloat16") {
    result.dtype = at::kBFloat16;
  } else if (options.dtype != "float32") {
    return usage_error("dtype \"{}\" is not supported; use float32 or bfloat16.", options.dtype);
  }
  try {
    result.device = at::Device(options.device);
  } catch (const c10::Error&) {
    return usage_error("\"{}\" is not a device; use cpu or cuda, or cuda:N for one of several.",
                       options.device);
  }
  if (result.device.is_cuda() && !at::hasCUDA()) {
    return usage_error(
        "device {} is not there: this libtorch is built for the CPU or finds no driver. Use cpu, "
        "or "
        "install the CUDA build of torch in .venv.",
        options.device);
  }
  if (!result.device.is_cpu() && !result.device.is_cuda()) {
    return usage_error("device {} is not supported; use cpu or cuda.", options.device);
  }
  return result;
}

std::string folder_name(const std::filesystem::path& folder) {
  const auto whole = std::filesystem::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace

EmbeddedPolicy::EmbeddedPolicy(const Transformer& model, const Tokenizer& tokenizer,
                               std::string name, int max_rows)
    : transformer_(std::make_unique<Transformer>(model)),
      tokenizer_(tokenizer),
      name_(std::move(name)),
      max_rows_(max_rows) {}

EmbeddedPolicy::~EmbeddedPolicy() = default;

Expected<std::unique_ptr<EmbeddedPolicy>> EmbeddedPolicy::load(
    const std::filesystem::path& folder, const EmbeddedPolicyOptions& options) {
  const auto placed = transformer_options(options);
  if (!placed) return tl::make_unexpected(placed.error());
  const auto tokenizer = Tokenizer::load(folder / "tokenizer.json");
  if (!tokenizer) return tl::make_unexpected(tokenizer.error());
  const auto model = Transformer::load(folder, *placed);
  if (!model) return tl::make_unexpected(model.error());
  return make(*model, *tokenizer, folder_name(folder), options);
}

Expected<std::unique_ptr<EmbeddedPolicy>> EmbeddedPolicy::make(
    const Transformer& model, const Tokenizer& tokenizer, std::string name,
    const EmbeddedPolicyOptions& options) {
  if (options.max_rows < 1 || options.threads < 0) {
    return usage_error(
        "max_rows must be at least 1 and threads not negative, but they are {} and {}.",
        options.max_rows, options.threads);
  }
  if (tokenizer.vocab_size() > model.config().vocab_size) {
    return usage_error(
        "the tokenizer of {} has {} tokens, its model only {}; they do not belong together.", name,
        tokenizer.vocab_size(), model.config().vocab_size);
  }
  if (options.threads > 0) at::set_num_threads(options.threads);
  return std::unique_ptr<EmbeddedPolicy>(
      new EmbeddedPolicy(model, tokenizer, std::move(name), options.max_rows));
}

Expected<std::vector<CompletionGroup>> EmbeddedPolicy::sample(
    std::span<const SampleRequest> requests, const SampleParameters& parameters) {
  if (const Status checked = check(parameters); !checked) {
    return tl::make_unexpected(checked.error());
  }
  const auto context = static_cast<std::size_t>(transformer_->config().max_position_embeddings);
  std::vector<TokenPrompt> prompts;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    prompts.push_back({tokenizer_.encode_prompt(requests[i].prompt), requests[i].rollouts});
    const std::size_t length = prompts.back().tokens.size();
    if (length == 0) return usage_error("prompt {} of the batch is empty.", i);
    if (length >= context) {
      return usage_error(
          "prompt {} of the batch has {} tokens; {} can hold {}, prompt and response together. "
          "Lower the level or use a model with a longer context.",
          i, length, name_, context);
    }
  }
  auto completions =
      generate(*transformer_, tokenizer_, prompts, parameters, {.max_rows = max_rows_});
  std::vector<CompletionGroup> groups;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    groups.push_back({std::move(prompts[i].tokens), std::move(completions[i])});
  }
  return groups;
}

bool EmbeddedPolicy::fits(std::string_view prompt) const {
  return tokenizer_.encode_prompt(prompt).size() <
         static_cast<std::size_t>(transformer_->config().max_position_embeddings);
}

Expected<std::string> EmbeddedPolicy::chat_prompt(std::string_view message, bool thinking) const {
  const auto chat = tokenizer_.chat_template();
  if (!chat) {
    Error error = chat.error();
    error.message = fmt::format("{}: {}", name_, error.message);
    return tl::make_unexpected(std::move(error));
  }
  ChatOptions options;
  if (!thinking) options.enable_thinking = false;
  return chat->prompt(message, options);
}

}  // namespace redqueen
