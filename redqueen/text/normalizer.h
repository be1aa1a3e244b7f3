// The steps of "normalizer" in tokenizer.json, which a text passes before it is cut.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/text/split_pattern.h"

namespace redqueen {

struct NormalizerStep {
  enum class Kind { kNfc, kNfd, kNfkc, kNfkd, kPrepend, kReplace, kStrip };
  Kind kind = Kind::kNfc;
  std::string from;                     // of kReplace, not empty, unless there is a pattern
  std::string to;                       // of kReplace; of kPrepend, stands before a text that is
                                        // not empty
  std::optional<SplitPattern> pattern;  // of kReplace, instead of `from`
  bool left = false, right = false;     // of kStrip: where white space is taken off
};

// Immutable once filled.
class Normalizer {
 public:
  void add(NormalizerStep step) { steps_.push_back(std::move(step)); }

  std::string apply(std::string_view text) const;

  // True if apply() may change this text.
  bool concerns(std::string_view text) const;

  // True if apply() leaves no space in a text.
  bool replaces_spaces() const;

  // "NFC", "Prepend, Replace", …, or "none".
  std::string names() const;

 private:
  std::vector<NormalizerStep> steps_;
};

// Every `from` in `text` by `to`. from: not empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace redqueen
