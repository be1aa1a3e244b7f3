// Turns text into the tokens of uncased BERT models.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/text/token.h"

namespace redqueen {

// BERT's tokenizer (Devlin et al., 2019), uncased, as `tokenizers` runs it: control characters
// away, CJK ideographs apart, accents stripped, lower case, cut at white space and punctuation,
// then for each word the longest pieces of the vocabulary from left to right. Immutable,
// thread-safe, cheap to copy.
class WordPiece {
 public:
  // Reads vocab.txt (a token a line) or a tokenizer.json. Fails if the file cannot be read, lacks
  // [UNK], [CLS] or [SEP], or describes another kind of tokenizer.
  static Expected<WordPiece> load(const std::filesystem::path& file);

  // [CLS], the text's tokens, [SEP]; cut after the text's first max_tokens − 2 tokens. Bytes that
  // are no UTF-8 are skipped. max_tokens ≥ 2.
  std::vector<Token> encode(std::string_view text, std::size_t max_tokens) const;

  // One more than the highest token.
  int vocab_size() const;

 private:
  struct Data;
  explicit WordPiece(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

}  // namespace redqueen
