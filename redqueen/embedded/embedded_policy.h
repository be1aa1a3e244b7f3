// A policy that lives in this process: a transformer and its tokenizer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "redqueen/policy/policy.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {

class KeptRows;
class Transformer;
struct KeptRow;

struct EmbeddedPolicyOptions {
  std::string dtype = "float32";  // or "bfloat16"
  std::string device = "cpu";     // or "cuda", "cuda:1", …
  int threads = 0;                // of libtorch, for the whole process; 0: its own choice
  int max_rows = 512;             // responses decoded at once
  // Limits the keys and values kept for SampleRequest::keep, on the policy's device; the oldest
  // responses make room for new ones. Those that a call continues do not count, but live until it
  // returns. 0: nothing is kept.
  std::int64_t max_kept_bytes = std::int64_t{1} << 30;
};

// One thread at a time may sample. Parameters may change between calls: every call reads
// them anew, and forgets what was kept of the old ones (Transformer::weights_version()).
class EmbeddedPolicy final : public Policy {
 public:
  // Reads a Hugging Face folder: config.json, generation_config.json, safetensors, tokenizer.json
  // and the chat template, if it has one.
  static Expected<std::unique_ptr<EmbeddedPolicy>> load(const std::filesystem::path& folder,
                                                        const EmbeddedPolicyOptions& options = {});

  // Shares the weights of `model`. Fails if the tokenizer has more tokens than the model.
  static Expected<std::unique_ptr<EmbeddedPolicy>> make(const Transformer& model,
                                                        const Tokenizer& tokenizer,
                                                        std::string name,
                                                        const EmbeddedPolicyOptions& options = {});

  ~EmbeddedPolicy() override;

  // Fails only on parameters that make no sense. A prompt that is empty, too long or cannot be
  // laid out has no responses.
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    return collect_each(requests, parameters);
  }
  Status sample_each(std::span<const SampleRequest> requests, const SampleParameters& parameters,
                     const GroupListener& listener) override;
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools,
                                   bool thinking = true) const override;
  void drop_kept() override;
  std::string_view name() const override { return name_; }

  std::int64_t kept_bytes() const;
  const Transformer& transformer() const { return *transformer_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  EmbeddedPolicy(const Transformer& model, const Tokenizer& tokenizer, std::string name,
                 const EmbeddedPolicyOptions& options);

  // The row that a request continues, if it was kept; null otherwise.
  std::shared_ptr<const KeptRow> kept_row(const SampleRequest& request) const;
  tl::unexpected<Error> no_template() const;
  Expected<std::vector<Token>> tokens_of(const SampleRequest& request) const;

  std::unique_ptr<const Transformer> transformer_;
  Tokenizer tokenizer_;
  Expected<ChatTemplate> chat_;
  std::string name_;
  int max_rows_;
  std::unique_ptr<KeptRows> kept_;
  std::uint64_t kept_version_ = 0;  // of the weights that kept_ was computed with
};

}  // namespace redqueen
