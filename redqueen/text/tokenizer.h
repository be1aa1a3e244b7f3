// Turns text into tokens and back by byte-pair encoding, of bytes as the files tokenizer.json of
// Qwen, GPT-2 and Llama 3 have it, or of characters as those of Llama 2, Mistral and Gemma do.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/text/chat_template.h"
#include "redqueen/text/token.h"

namespace redqueen {

// A file that lies beside tokenizer.json and belongs to it: tokenizer_config.json,
// chat_template.jinja, additional_chat_templates/tool_use.jinja, special_tokens_map.json.
struct CompanionFile {
  std::string name;  // relative to the folder of tokenizer.json
  std::string content;
};

// The parts of a tokenizer, for people to read.
struct TokenizerDescription {
  std::string pattern;     // "qwen", "llama3", "deepseek", "gpt2", "other", or "none"
  bool byte_level = true;  // false: characters, and bytes for those that are no token
  int missing_bytes = 0;   // that have no token: encode() leaves them out, or has `unknown` instead
  std::optional<Token> unknown;  // of those bytes; none if they are left out
  std::string normalizer = "none";
  bool ignore_merges = false;
  std::vector<std::pair<Token, std::string>> special;  // number and content, ascending
  std::vector<Token> before;                           // put before a text by the post-processor
};

// Immutable, thread-safe, cheap to copy.
//
// Reads and writes Hugging Face's tokenizer.json with a BPE model of bytes (a pre-tokenizer
// ByteLevel) or of characters with byte_fallback; docs/models.md lists the steps that it may have.
// Anything else is refused with a sentence that names it, never approximated.
class Tokenizer {
 public:
  // Reads the companions too. Fails if the file cannot be read, is not JSON, or is of a kind not
  // supported. Added tokens from number `vocabulary` on are passed over, so that no text becomes a
  // token that the model lacks: Gemma 3's small models have no row for their tokenizer's mark of an
  // image.
  static Expected<Tokenizer> load(const std::filesystem::path& tokenizer_json,
                                  std::optional<int> vocabulary = {});
  static Expected<Tokenizer> parse(std::string_view json_text,
                                   std::vector<CompanionFile> companions = {},
                                   std::optional<int> vocabulary = {});

  // Writes what load() or parse() read, byte for byte.
  Status save(const std::filesystem::path& tokenizer_json) const;

  // The tokens of a text, equal to `tokenizers` with add_special_tokens=False. Added tokens that
  // occur in the text, special ones included, become their own token. Every byte is encoded, be it
  // valid UTF-8 or not, unless the vocabulary lacks it (TokenizerDescription::missing_bytes).
  std::vector<Token> encode(std::string_view text) const;

  // With what the post-processor puts around a text: add_special_tokens=True.
  std::vector<Token> encode_whole(std::string_view text) const;

  // A text that a model is to continue: with the tokens that the post-processor puts before it
  // (Llama 3's begin of text), unless it begins with them already, as rendered conversations do.
  std::vector<Token> encode_prompt(std::string_view text) const;

  // The bytes of all tokens that are not special, joined. Not UTF-8 where tokens end within a
  // character. Tokens out of range count as empty. With byte_fallback, one space at the beginning
  // is left out where the decoder strips it. decode(encode(x)) == x if x holds no special token
  // and no byte that the vocabulary lacks and, where the normalizer is NFC, is normalized.
  std::string decode(std::span<const Token> tokens) const;

  // The raw bytes of one token; empty for special tokens and for numbers that are no token. Lives
  // as long as any copy of the tokenizer.
  std::string_view token_bytes(Token token) const;

  // One more than the highest token.
  int vocab_size() const;

  // Returns the files that load() found beside tokenizer.json, to be written beside a copy of it.
  std::span<const CompanionFile> companions() const;

  // Compiled from the companions. Fails if there is none, or it uses what the engine does not have.
  Expected<ChatTemplate> chat_template() const;

  TokenizerDescription describe() const;

  // The token with this content: of an added token (special or not) as it is written, of any other
  // its raw bytes.
  std::optional<Token> token_id(std::string_view content) const;

 private:
  struct Data;
  explicit Tokenizer(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

}  // namespace redqueen
