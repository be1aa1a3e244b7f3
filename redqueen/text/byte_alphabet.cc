#include "redqueen/text/byte_alphabet.h"

#include <array>

namespace redqueen {
namespace {

// The alphabet ends at U+0143: 188 bytes stand for themselves, 68 for the characters from U+0100
// on.
constexpr char32_t kFirstSubstitute = 0x100;
constexpr char32_t kAlphabetEnd = 0x144;

constexpr bool prints(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<int, kAlphabetEnd> byte{};  // −1: not of the alphabet

  constexpr Alphabet() {
    for (int& value : byte) value = -1;
    char32_t substitute = kFirstSubstitute;
    for (unsigned value = 0; value < 256; ++value) {
      character[value] = prints(value) ? static_cast<char32_t>(value) : substitute++;
      byte[character[value]] = static_cast<int>(value);
    }
  }
};

constexpr Alphabet kAlphabet;

}  // namespace

char32_t byte_character(std::uint8_t byte) { return kAlphabet.character[byte]; }

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  for (const char byte : bytes) {
    const char32_t character = byte_character(static_cast<std::uint8_t>(byte));
    if (character < 0x80) {
      text += static_cast<char>(character);
    } else {
      text += static_cast<char>(0xC0 | (character >> 6));
      text += static_cast<char>(0x80 | (character & 0x3F));
    }
  }
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t character = static_cast<std::uint8_t>(text[i]);
    if (character >= 0x80) {  // the alphabet needs one- and two-byte sequences only
      if (character < 0xC2 || character > 0xDF || ++i == text.size()) return std::nullopt;
      const auto next = static_cast<std::uint8_t>(text[i]);
      if ((next & 0xC0) != 0x80) return std::nullopt;
      character = ((character & 0x1F) << 6) | (next & 0x3F);
    }
    if (character >= kAlphabetEnd || kAlphabet.byte[character] < 0) return std::nullopt;
    bytes += static_cast<char>(kAlphabet.byte[character]);
  }
  return bytes;
}

}  // namespace redqueen
