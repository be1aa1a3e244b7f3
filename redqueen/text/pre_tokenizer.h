// The steps of "pre_tokenizer" in tokenizer.json, which cut a text into the pieces that are encoded
// one by one.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "redqueen/text/split_pattern.h"

namespace redqueen {

// Cuts at the matches of a pattern.
struct SplitStep {
  SplitPattern pattern;
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;  // the stretches between matches count as the matches
};

// Puts a space before every piece that does not begin with one.
struct PrefixSpaceStep {};

// Turns bytes into the byte alphabet, in which the steps behind it read the text.
struct ByteLevelStep {};

// Replaces spaces, as SentencePiece does.
struct MetaspaceStep {
  enum class Prepend { kNever, kFirst, kAlways };
  std::string replacement;  // of spaces; not empty
  Prepend prepend = Prepend::kNever;
  bool split = false;  // a piece begins at every replacement
};

using PreTokenizerStep = std::variant<SplitStep, PrefixSpaceStep, ByteLevelStep, MetaspaceStep>;

// The pieces of a text. They point into the text or into `changed`, which grows without moving.
struct TextPieces {
  std::vector<std::string_view> list;
  std::deque<std::string> changed;
};

// Immutable and thread-safe once filled.
class PreTokenizer {
 public:
  void add(PreTokenizerStep step);

  // Cuts `text`, which is not empty. first: the text begins where the whole one does. After a
  // ByteLevelStep the pieces are bytes again.
  TextPieces cut(std::string_view text, bool first) const;

  // True if no space is left in a text: a MetaspaceStep is among the steps.
  bool replaces_spaces() const;

 private:
  std::vector<PreTokenizerStep> steps_;
};

}  // namespace redqueen
