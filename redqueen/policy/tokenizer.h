// Text to tokens and back: byte-level byte-pair encoding, as the files tokenizer.json of Qwen,
// GPT-2 and Llama 3 have it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// Immutable, thread-safe, cheap to copy.
//
// Reads and writes Hugging Face's tokenizer.json with a byte-level BPE model: normalizer NFC or
// none; pre-tokenizer ByteLevel, alone or after Splits of behaviour Isolated; every byte in the
// vocabulary. Anything else is refused with a sentence that names it, never approximated. The
// post-processor, which adds tokens around a text, is kept in the file and not applied.
class Tokenizer {
 public:
  // Fails if the file cannot be read, is not JSON, or is of a kind not supported.
  static Expected<Tokenizer> load(const std::filesystem::path& tokenizer_json);
  static Expected<Tokenizer> parse(std::string_view json_text);

  // Writes what load() or parse() read, byte for byte.
  Status save(const std::filesystem::path& tokenizer_json) const;

  // The tokens of a text, equal to `tokenizers` with add_special_tokens=False. Added tokens that
  // occur in the text, special ones included, become their own token. Every byte is encoded, be it
  // valid UTF-8 or not.
  std::vector<Token> encode(std::string_view text) const;

  // The bytes of all tokens that are not special, joined. Not UTF-8 where tokens end within a
  // character. Tokens out of range count as empty. decode(encode(x)) == x if x holds no special
  // token and, where the normalizer is NFC, is normalized.
  std::string decode(std::span<const Token> tokens) const;

  // The raw bytes of one token; empty for special tokens and for numbers that are no token. Lives
  // as long as any copy of the tokenizer.
  std::string_view token_bytes(Token token) const;

  // One more than the highest token.
  int vocab_size() const;

  // The token with this content: of an added token (special or not) as it is written, of any other
  // its raw bytes.
  std::optional<Token> token_id(std::string_view content) const;

 private:
  struct Data;
  explicit Tokenizer(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

}  // namespace redqueen
