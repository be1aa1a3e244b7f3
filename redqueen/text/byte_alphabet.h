// The byte alphabet of byte-level tokenizers: every byte has a printable character, so that a
// vocabulary of raw bytes can be written as text. Bytes that print in Latin-1 stand for themselves,
// the others for U+0100, U+0101, … in order (Radford et al., "Language Models are Unsupervised
// Multitask Learners", 2019, section 2.2, and its released code).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redqueen {

// The character of a byte.
char32_t byte_character(std::uint8_t byte);

// Raw bytes as text in the byte alphabet (UTF-8).
std::string to_byte_alphabet(std::string_view bytes);

// The reverse; nullopt if a character is not of the alphabet or the text is not UTF-8.
std::optional<std::string> from_byte_alphabet(std::string_view text);

}  // namespace redqueen
