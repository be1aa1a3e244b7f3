#include "redqueen/embedded/embedded_policy.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "redqueen/base/file_queries.h"
#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/decode/generation.h"
#include "redqueen/embedded/prompt_tokens.h"
#include "redqueen/model/transformer.h"

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
  const auto whole = absolute_path(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace

EmbeddedPolicy::EmbeddedPolicy(const Transformer& model, const Tokenizer& tokenizer,
                               std::string name, const EmbeddedPolicyOptions& options)
    : transformer_(std::make_unique<Transformer>(model)),
      tokenizer_(tokenizer),
      chat_(tokenizer.chat_template()),
      name_(std::move(name)),
      max_rows_(options.max_rows),
      kept_(std::make_unique<KeptRows>(options.max_kept_bytes)) {}

EmbeddedPolicy::~EmbeddedPolicy() = default;

Expected<std::unique_ptr<EmbeddedPolicy>> EmbeddedPolicy::load(
    const std::filesystem::path& folder, const EmbeddedPolicyOptions& options) {
  ASSIGN_OR_RETURN(const auto placed, transformer_options(options));
  // Adapters (model/lora.h) may come without a tokenizer: then it is that of their base.
  ASSIGN_OR_RETURN(const auto base, base_folder(folder));
  ASSIGN_OR_RETURN(const auto config, ModelConfig::load_folder(base));
  const bool own_tokenizer = is_there(folder / "tokenizer.json");
  ASSIGN_OR_RETURN(
      const auto tokenizer,
      Tokenizer::load((own_tokenizer ? folder : base) / "tokenizer.json", config.vocab_size));
  ASSIGN_OR_RETURN(const auto model, Transformer::load(folder, placed));
  return make(model, tokenizer, folder_name(folder), options);
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
      new EmbeddedPolicy(model, tokenizer, std::move(name), options));
}

Status EmbeddedPolicy::sample_each(std::span<const SampleRequest> requests,
                                   const SampleParameters& parameters,
                                   const GroupListener& listener) {
  RETURN_IF_ERROR(check(parameters));
  std::vector<TokenPrompt> prompts;
  std::vector<std::size_t> places;  // of the prompts among the requests
  if (const auto version = transformer_->weights_version(); version != kept_version_) {
    kept_->clear();
    kept_version_ = version;
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const SampleRequest& request = requests[i];
    auto tokens = tokens_of(request);
    const auto missing =
        tokens ? missing_response(request, *tokens, parameters, transformer_->config(), name_)
               : Completion{.finish = FinishReason::kFailed, .failure = tokens.error().message};
    if (missing || request.addresses.empty()) {
      CompletionGroup group{.prompt_tokens = tokens.value_or(std::vector<Token>()),
                            .completions = {}};
      if (missing) group.completions.assign(request.addresses.size(), *missing);
      listener(i, std::move(group));
    } else {
      prompts.push_back({std::move(*tokens), request.addresses, kept_row(request), request.keep});
      places.push_back(i);
    }
  }
  for (const TokenPrompt& prompt : prompts) kept_->erase(prompt.kept);  // each serves one call
  KeptRows* const kept = kept_->max_bytes() > 0 ? kept_.get() : nullptr;
  const auto hand_over = [&](std::size_t k, std::vector<Completion> completions) {
    listener(places[k], {prompts[k].tokens, std::move(completions)});
  };
  generate(*transformer_, tokenizer_, prompts, parameters,
           {.max_rows = max_rows_, .kept = kept, .on_group = hand_over});
  return {};
}

std::shared_ptr<const KeptRow> EmbeddedPolicy::kept_row(const SampleRequest& request) const {
  // The last token that was drawn has not passed the network.
  if (request.prompt_tokens.size() < 2) return nullptr;
  return kept_->find(std::span(request.prompt_tokens).first(request.prompt_tokens.size() - 1));
}

Expected<std::vector<Token>> EmbeddedPolicy::tokens_of(const SampleRequest& request) const {
  if (!request.messages.empty() && !chat_) return no_template();
  return prompt_tokens(request, tokenizer_, chat_, transformer_->config());
}

tl::unexpected<Error> EmbeddedPolicy::no_template() const {
  return tl::make_unexpected(
      Error{chat_.error().kind, fmt::format("{}: {}", name_, chat_.error().message)});
}

void EmbeddedPolicy::drop_kept() { kept_->clear(); }

std::int64_t EmbeddedPolicy::kept_bytes() const { return kept_->bytes(); }

Expected<ChatLayout> EmbeddedPolicy::chat_layout(std::span<const ToolSpec> tools,
                                                 bool thinking) const {
  if (!chat_) return no_template();
  ChatOptions options;
  if (!thinking) options.enable_thinking = false;
  return ChatLayout::make(*chat_, tools, options);
}

}  // namespace redqueen
