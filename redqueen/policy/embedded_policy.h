// A policy that lives in this process: a transformer and its tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "redqueen/policy/policy.h"
#include "redqueen/policy/tokenizer.h"

namespace redqueen {

class Transformer;

struct EmbeddedPolicyOptions {
  std::string dtype = "float32";  // or "bfloat16"
  std::string device = "cpu";     // or "cuda", "cuda:1", …
  int threads = 0;                // of libtorch, for the whole process; 0: its own choice
  int max_rows = 512;             // responses decoded at once
};

// One thread at a time may call sample(). Parameters may change between calls: every call reads them anew.
class EmbeddedPolicy final : public Policy {
 public:
  // Reads a Hugging Face folder: config.json, generation_config.json, safetensors, tokenizer.json and
  // the chat template, if it has one.
  static Expected<std::unique_ptr<EmbeddedPolicy>> load(const std::filesystem::path& folder,
                                                        const EmbeddedPolicyOptions& options = {});

  // Shares the weights of `model`. Fails if the tokenizer has more tokens than the model.
  static Expected<std::unique_ptr<EmbeddedPolicy>> make(const Transformer& model,
                                                        const Tokenizer& tokenizer,
                                                        std::string name,
                                                        const EmbeddedPolicyOptions& options = {});

  ~EmbeddedPolicy() override;

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override;
  Expected<std::string> chat_prompt(std::string_view message, bool thinking) const override;
  bool fits(std::string_view prompt) const override;
  std::string_view name() const override { return name_; }

  const Transformer& transformer() const { return *transformer_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  EmbeddedPolicy(const Transformer& model, const Tokenizer& tokenizer, std::string name,
                 int max_rows);

  std::unique_ptr<const Transformer> transformer_;
  Tokenizer tokenizer_;
  std::string name_;
  int max_rows_;
};

}  // namespace redqueen
