// A tokenizer of bytes for tests.
#pragma once

#include <string>
#include <vector>

#include "redqueen/text/bpe_trainer.h"

namespace redqueen {

// Bytes and the end-of-text token, which is token 0.
inline Tokenizer byte_tokenizer() {
  return train_bpe(std::vector<std::string>{}, {.vocab_size = 257, .special_tokens = {"<end>"}})
      .value();
}

}  // namespace redqueen
