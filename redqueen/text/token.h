// A token, as every tokenizer and model of the engine counts them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redqueen {

// An index into a model's vocabulary.
using Token = std::int32_t;

// Tokens begin … end − 1 of a sequence.
struct TokenRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TokenRun&) const = default;
};

}  // namespace redqueen
