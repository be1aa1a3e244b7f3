// Learns a byte-level BPE vocabulary from text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/text/split_pattern.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {

struct BpeOptions {
  int vocab_size = 512;                          // special tokens and the 256 bytes included
  std::vector<std::string> special_tokens = {};  // the first tokens, in this order
  std::string pattern{kQwenPattern};             // merges never cross the pieces it cuts
  int min_frequency = 2;  // pairs that occur less often in the corpus are not merged
};

// Merges the most frequent pair of neighbouring tokens, the one with the lower tokens among equals,
// until the vocabulary is full or no pair is frequent enough (Sennrich et al. 2016, algorithm 1;
// the ties and token numbers are those of `tokenizers`). Then the vocabulary is smaller than asked.
// Special tokens inside the corpus are read as text. The tokenizer has no normalizer:
// decode(encode(x)) == x for all bytes without special tokens. Fails on a vocabulary too small for
// bytes and special tokens, an empty or repeated special token, a bad pattern.
Expected<Tokenizer> train_bpe(std::span<const std::string> corpus, const BpeOptions& options);

}  // namespace redqueen
