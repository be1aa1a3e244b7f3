#include "redqueen/run/report/html.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace redqueen::run {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool continues(std::string_view bytes, std::size_t i) {
  return i < bytes.size() && (static_cast<std::uint8_t>(bytes[i]) & 0xC0) == 0x80;
}

// Length of the UTF-8 sequence at the front (Unicode 15, table 3-7), 0 if there is none.
std::size_t sequence_length(std::string_view bytes) {
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  const auto second = bytes.size() > 1 ? static_cast<std::uint8_t>(bytes[1]) : 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(bytes, 1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return continues(bytes, 1) && continues(bytes, 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90;
    const bool beyond = first == 0xF4 && second > 0x8F;
    return continues(bytes, 1) && continues(bytes, 2) && continues(bytes, 3) && !overlong && !beyond
               ? 4
               : 0;
  }
  return 0;
}

// U+0080 to U+009F, which terminals obey like escapes, and U+202A to U+202E, U+2066 to U+2069,
// which show a text in another order than it has.
bool controls(std::string_view sequence) {
  if (sequence.size() == 2) return sequence[0] == '\xC2' && sequence[1] <= '\x9F';
  return (sequence >= "\xE2\x80\xAA" && sequence <= "\xE2\x80\xAE") ||
         (sequence >= "\xE2\x81\xA6" && sequence <= "\xE2\x81\xA9");
}

}  // namespace

std::string readable_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto first = static_cast<std::uint8_t>(bytes[0]);
    const std::size_t length = sequence_length(bytes);
    if (length == 0 || controls(bytes.substr(0, length))) {
      text += kReplacement;
    } else if (first == 0x7F) {
      text += "\xE2\x90\xA1";  // U+2421
    } else if (first == '\r' && bytes.size() > 1 && bytes[1] == '\n') {
      // the line feed is enough
    } else if (first < 0x20 && first != '\t' && first != '\n') {
      text += "\xE2\x90";  // U+2400 + first
      text += static_cast<char>(0x80 + first);
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string html_escape(std::string_view bytes) {
  std::string text;
  for (const char c : readable_utf8(bytes)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      case '\'':
        text += "&#39;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string cut_to_characters(std::string_view text, std::size_t limit) {
  std::size_t characters = 0;
  std::size_t end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues(text, i)) continue;
    if (characters++ == limit) end = i;
  }
  if (characters <= limit) return std::string(text);
  return fmt::format("{}\n… ({} more characters)", text.substr(0, end), characters - limit);
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      html_escape(title), style, body);
}

}  // namespace redqueen::run
