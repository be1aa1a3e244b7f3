// The steps of "normalizer" in tokenizer.json, which a text passes before it is cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

struct NormalizerStep {
  enum class Kind { kNfc, kPrepend, kReplace };
  Kind kind = Kind::kNfc;
  std::string from;  // of kReplace, not empty
  std::string to;    // of kReplace; of kPrepend, what stands before a text that is not empty
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
