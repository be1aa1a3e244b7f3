#include "redqueen/base/base64.h"

#include <array>
#include <cstdint>

namespace redqueen {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

constexpr std::string_view last_digits(Base64 form) { return form == Base64::kUrl ? "-_" : "+/"; }

int value_of(char c, Base64 form) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  const std::size_t last = last_digits(form).find(c);
  return last == std::string_view::npos ? -1 : static_cast<int>(last) + 62;
}

}  // namespace

std::string base64(std::string_view bytes, Base64 form) {
  const auto digit = [form](std::uint32_t value) {
    return value < 62 ? kDigits[value] : last_digits(form)[value - 62];
  };
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      if (k <= count) {
        text += digit(bits >> (18 - 6 * k) & 63U);
      } else if (form == Base64::kPadded) {
        text += '=';
      }
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text, Base64 form) {
  for (int i = 0; i < 2 && form == Base64::kPadded && text.ends_with('='); ++i)
    text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int value = value_of(c, form);
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffffU;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>(bits >> held & 0xffU);
    }
  }
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;  // bits that no byte takes
  return bytes;
}

}  // namespace redqueen
