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

// The pieces that a text with matches becomes, as `tokenizers` names them.
enum class SplitBehavior {
  kIsolated,            // every match, and every stretch between matches
  kRemoved,             // the stretches between matches alone
  kContiguous,          // as kIsolated, but neighbouring matches are one piece
  kMergedWithPrevious,  // a match ends the piece before it, unless that is a match
  kMergedWithNext,      // a match begins the piece after it, unless that is a match
};

// A compiled pattern. Immutable, thread-safe, cheap to copy.
//
// Unicode classes are those of PCRE2; \s and \S mean the Unicode property White_Space, as in the
// Oniguruma engine of `tokenizers` (PCRE2's own \s has one character more, U+180E).
class SplitPattern {
 public:
  // Fails with the place in the pattern at which it cannot be understood.
  static Expected<SplitPattern> compile(std::string_view pattern);

  // Appends the pieces of `text` to `pieces`, in order. invert: the stretches between matches are
  // taken for the matches. Joined the pieces are `text` again, unless matches are removed. No byte
  // sequence matches across invalid UTF-8. Pieces point into `text`.
  void split(std::string_view text, SplitBehavior behavior, bool invert,
             std::vector<std::string_view>& pieces) const;

  // The text with `content` for every match.
  std::string replace(std::string_view text, std::string_view content) const;

 private:
  struct Stretch {
    std::string_view text;  // not empty
    bool is_match = false;
  };
  struct Compiled;
  explicit SplitPattern(std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)) {}

  // Matches and what is between them, in order.
  std::vector<Stretch> stretches(std::string_view text) const;

  std::shared_ptr<const Compiled> compiled_;
};

// The pattern that matches exactly this text.
std::string escaped_pattern(std::string_view text);

}  // namespace redqueen
