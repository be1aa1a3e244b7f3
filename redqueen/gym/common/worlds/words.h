// Words as the worlds write and read them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redqueen {

// "a mug", "an apple": by the first letter, so only for nouns that are pronounced as written.
std::string with_article(std::string_view noun);

// "a", "a and b", "a, b and c"; "" of nothing.
std::string enumeration(std::span<const std::string> items);

// The text with its first letter (ASCII) as a capital.
std::string capitalised(std::string text);

// Returns the normal form of an answer, as question answering compares spellings (SQuAD, section
// 6): lower case, without apostrophes and the articles a, an and the. Bytes above 127 stay as they
// are. Linear; any bytes.
std::string normalised(std::string_view text);

// Quotes a policy's text for an observation: at most 80 bytes of one line, cut at a character of
// UTF-8, control characters as spaces.
std::string quotable(std::string_view text);

}  // namespace redqueen
