// The regular expression by which a tokenizer cuts text into pieces before it merges bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// The pattern of GPT-2, which `ByteLevel` pre-tokenizers apply when use_regex is set.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// The pattern of Qwen2, Qwen2.5 and Qwen3: digits one by one, line ends kept with what they follow.
inline constexpr std::string_view kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The pattern of Llama 3: as Qwen's, but digits in threes.
inline constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// For small policies of one trade: digits one by one, lines whole, so that phrases that recur
// become single tokens and texts far shorter (Liu et al., SuperBPE, 2025, lift the words' bounds
// late in training; here there are none).
inline constexpr std::string_view kLinePattern = R"([^\n\p{N}]*\n|[^\n\p{N}]+|\p{N})";

// A compiled pattern. Immutable, thread-safe, cheap to copy.
//
// Unicode classes are those of PCRE2; \s and \S mean the Unicode property White_Space, as in the
// Oniguruma engine of `tokenizers` (PCRE2's own \s has one character more, U+180E).
class SplitPattern {
 public:
  // Fails with the place in the pattern at which it cannot be understood.
  static Expected<SplitPattern> compile(std::string_view pattern);

  // A pattern that matches exactly this text.
  static Expected<SplitPattern> literal(std::string_view text);

  // Appends the pieces of `text` to `pieces`: every match, and every stretch between matches, in
  // order. Joined they are `text` again. No byte sequence matches across invalid UTF-8. Pieces
  // point into `text`.
  void split(std::string_view text, std::vector<std::string_view>& pieces) const;

 private:
  struct Compiled;
  explicit SplitPattern(std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace redqueen
