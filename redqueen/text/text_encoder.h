// The interface of models that embed texts, for code that compares texts.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace redqueen {

// [dimension], of length 1.
using Embedding = std::vector<float>;

// A frozen model that embeds texts. Immutable and thread-safe. Implementation: MiniLm
// (embedding/minilm.h).
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  // One embedding a text, in their order. The bits of one depend neither on the texts beside it nor
  // on the number of threads.
  virtual std::vector<Embedding> embed(std::span<const std::string> texts) const = 0;
};

}  // namespace redqueen
