// Random Unicode text, and the oracle script of testdata/, for the tests of tokenizers.
#pragma once

#include <unicode/uchar.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen::tokenizer_test {

// True if the Python package is there; tests that need it are skipped otherwise.
inline bool has_tokenizers() {
  static const bool found = std::system(".venv/bin/python -c 'import tokenizers' 2>/dev/null") == 0;
  return found;
}

inline bool run_oracle(const std::string& mode, const std::string& first, const std::string& second,
                       const std::string& out) {
  const std::string command = ".venv/bin/python redqueen/text/testdata/tokenizer_oracle.py " +
                              mode + " " + first + " " + second + " " + out;
  return std::system(command.c_str()) == 0;
}

// The text with U+FFFD for what is no UTF-8, as `tokenizers` decodes.
inline std::string as_utf8(const std::string& bytes) {
  using nlohmann::json;
  return json::parse(json(bytes).dump(-1, ' ', false, json::error_handler_t::replace))
      .get<std::string>();
}

inline void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

// True if every Unicode library of the last years agrees on this character: assigned by Unicode 12,
// or not at all.
inline bool is_settled(char32_t c) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(c), age);
  return age[0] >= 1 && age[0] <= 9 && (c < 0xD800 || c > 0xDFFF);
}

// One fragment in one of many manners: words, white space, digits of several scripts, emoji
// sequences, code, combining marks, added tokens, any code point.
inline std::string random_fragment(Rng& rng) {
  static const std::vector<std::string> kWords = {"the",
                                                  "The",
                                                  "don't",
                                                  "WE'LL",
                                                  "it'ſ",
                                                  "naïve",
                                                  "Straße",
                                                  "hello",
                                                  "redqueen",
                                                  "答案",
                                                  "ответ",
                                                  "שלום",
                                                  "for",
                                                  "int main() {",
                                                  "return x;\n",
                                                  "#include <map>",
                                                  "  if (a != b):",
                                                  "\t\tprint(\"",
                                                  "]]>",
                                                  "a_b_c",
                                                  "<|endoftext|>",
                                                  "<think>",
                                                  "<think>!",
                                                  "<|im_start|>",
                                                  "<|im",
                                                  "<|pad|>",
                                                  "<mask>",
                                                  "<fill>",
                                                  "whole",
                                                  "whole",
                                                  "Ã©!",
                                                  "cafe\xCC\x81 noir",
                                                  "café noir"};
  static const std::vector<char32_t> kSpaces = {' ',    ' ',    ' ',    '\n',   '\r',   '\t',
                                                0x0B,   0x0C,   0x85,   0xA0,   0x1680, 0x180E,
                                                0x2003, 0x2028, 0x202F, 0x3000, 0x200B, 0x1C};
  static const std::vector<char32_t> kDigits = {'0',    '7',  '9',    0x663,  0x96A,
                                                0xFF15, 0xBD, 0x2167, 0x1D7D8};
  static const std::vector<char32_t> kEmoji = {0x1F600, 0x1F468, 0x200D, 0x1F469,
                                               0x1F3FD, 0xFE0F,  0x2764, 0x1F1E9};
  static const std::vector<char32_t> kComposing = {'e',    'a',    'o',    0x301,  0x308, 0x323,
                                                   0x1112, 0x1161, 0x11AB, 0x212B, 0x958, 0xAC00,
                                                   0x11A8, 0x0344, 0x09C7, 0x09BE};
  const auto of = [&](const std::vector<char32_t>& set) {
    std::string text;
    for (std::int64_t left = rng.integer(1, 6); left > 0; --left)
      append_utf8(text, rng.choice(set));
    return text;
  };
  std::string text;
  switch (rng.below(9)) {
    case 0:
    case 1:
      return rng.choice(kWords);
    case 2:
      return of(kSpaces);
    case 3:
      return of(kDigits);
    case 4:
      return of(kEmoji);
    case 5:
      return of(kComposing);
    case 6:
      for (std::int64_t left = rng.integer(1, 12); left > 0; --left) {
        text += static_cast<char>(rng.integer(0x20, 0x7E));
      }
      return text;
    case 7:
      return std::string(rng.below(20), ' ');
    default: {
      const auto c = static_cast<char32_t>(rng.below(rng.chance(0.7) ? 0x3000 : 0x110000));
      if (is_settled(c)) append_utf8(text, c);
      return text;
    }
  }
}

inline std::vector<std::string> random_texts(std::uint64_t seed, int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    Rng rng({.seed = seed,
             .purpose = hash_name("tokenizer test"),
             .index = static_cast<std::uint64_t>(i)});
    std::string& text = texts.emplace_back();
    for (std::int64_t left = rng.integer(0, 12); left > 0; --left) text += random_fragment(rng);
  }
  return texts;
}

}  // namespace redqueen::tokenizer_test
