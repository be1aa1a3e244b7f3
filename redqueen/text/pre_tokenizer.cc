#include "redqueen/text/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "redqueen/text/byte_alphabet.h"
#include "redqueen/text/normalizer.h"

namespace redqueen {
namespace {

// Begins a piece at every `mark`.
void split_before(std::string_view text, std::string_view mark,
                  std::vector<std::string_view>& pieces) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t next = std::min(text.find(mark, start + 1), text.size());
    pieces.push_back(text.substr(start, next - start));
    start = next;
  }
}

class Cutter {
 public:
  Cutter(std::string_view text, bool first) : first_(first) { pieces_.list.push_back(text); }

  void operator()(const SplitStep& step) {
    std::vector<std::string_view> finer;
    for (const std::string_view piece : pieces_.list) {
      step.pattern.split(piece, step.behavior, step.invert, finer);
    }
    pieces_.list = std::move(finer);
  }

  void operator()(const ByteLevelStep&) {}

  void operator()(const PrefixSpaceStep&) {
    for (std::string_view& piece : pieces_.list) {
      if (!piece.starts_with(' ')) piece = keep(" " + std::string(piece));
    }
  }

  void operator()(const MetaspaceStep& step) {
    using Prepend = MetaspaceStep::Prepend;
    std::vector<std::string_view> finer;
    for (std::size_t i = 0; i < pieces_.list.size(); ++i) {
      std::string text = replace_all(pieces_.list[i], " ", step.replacement);
      const bool wanted =
          step.prepend == Prepend::kAlways || (step.prepend == Prepend::kFirst && first_ && i == 0);
      if (wanted && !text.starts_with(step.replacement)) text.insert(0, step.replacement);
      const std::string_view kept = keep(std::move(text));
      if (step.split) {
        split_before(kept, step.replacement, finer);
      } else {
        finer.push_back(kept);
      }
    }
    pieces_.list = std::move(finer);
  }

  void to_alphabet() {
    for (std::string_view& piece : pieces_.list) piece = keep(to_byte_alphabet(piece));
  }

  void from_alphabet() {
    for (std::string_view& piece : pieces_.list) {
      piece = keep(from_byte_alphabet(piece).value_or(std::string(piece)));
    }
  }

  TextPieces take() { return std::move(pieces_); }

 private:
  std::string_view keep(std::string text) { return pieces_.changed.emplace_back(std::move(text)); }

  TextPieces pieces_;
  bool first_;
};

}  // namespace

void PreTokenizer::add(PreTokenizerStep step) { steps_.push_back(std::move(step)); }

TextPieces PreTokenizer::cut(std::string_view text, bool first) const {
  Cutter cutter(text, first);
  bool in_alphabet = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    std::visit(cutter, steps_[i]);
    // The model reads bytes: only steps behind ByteLevel see the alphabet.
    if (std::holds_alternative<ByteLevelStep>(steps_[i]) && i + 1 < steps_.size()) {
      cutter.to_alphabet();
      in_alphabet = true;
    }
  }
  if (in_alphabet) cutter.from_alphabet();
  return cutter.take();
}

bool PreTokenizer::replaces_spaces() const {
  return std::ranges::any_of(steps_, [](const PreTokenizerStep& step) {
    return std::holds_alternative<MetaspaceStep>(step);
  });
}

}  // namespace redqueen
