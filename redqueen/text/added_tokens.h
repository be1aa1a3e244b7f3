// The tokens that a tokenizer finds in a text before it cuts the rest into pieces.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/text/token.h"

namespace redqueen {

// One entry of "added_tokens" in tokenizer.json.
struct AddedToken {
  std::string content;  // not empty
  Token token = 0;
  bool single_word = false;  // counts only where no letter, digit or underscore touches it
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // and after it
};

// A part of a text: a token, or what lies between two.
struct TextPart {
  std::string_view text;
  bool is_token = false;
  Token token = 0;
};

class AddedTokens {
 public:
  void add(AddedToken token);

  // The parts of `text` in order, which they point into: the leftmost token first, the longest of
  // those that begin at one place. Empty stretches are left out.
  std::vector<TextPart> cut(std::string_view text) const;

 private:
  const AddedToken* find_at(std::string_view text) const;

  std::array<std::vector<AddedToken>, 256> by_first_byte_;  // the longest first
  bool empty_ = true;
};

}  // namespace redqueen
