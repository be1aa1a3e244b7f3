#include "redqueen/text/jinja/text.h"

#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "redqueen/text/jinja/lexer.h"
#include "redqueen/text/utf8.h"

namespace redqueen::jinja {
namespace {

icu::UnicodeString to_icu(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
}

std::string from_icu(const icu::UnicodeString& text) {
  std::string result;
  return text.toUTF8String(result);
}

bool in_set(std::string_view character, std::string_view set) {
  for (const std::string_view candidate : characters(set)) {
    if (candidate == character) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const std::size_t size = first_character(text).size;
    result.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return result;
}

std::string_view strip(std::string_view text, Side side, std::optional<std::string_view> set) {
  if (!set) {
    while (side != Side::kRight && space_at_begin(text) > 0) {
      text.remove_prefix(space_at_begin(text));
    }
    while (side != Side::kLeft && space_at_end(text) > 0) text.remove_suffix(space_at_end(text));
    return text;
  }
  const std::vector<std::string_view> all = characters(text);
  auto first = all.begin(), last = all.end();
  while (side != Side::kRight && first != last && in_set(*first, *set)) ++first;
  while (side != Side::kLeft && first != last && in_set(*(last - 1), *set)) --last;
  if (first == last) return text.substr(0, 0);
  const char* begin = first->data();
  return {begin, static_cast<std::size_t>((last - 1)->data() + (last - 1)->size() - begin)};
}

std::vector<std::string> split_text(std::string_view text,
                                    std::optional<std::string_view> separator, std::int64_t most) {
  std::vector<std::string> parts;
  if (!separator) {
    text = strip(text, Side::kLeft, {});
    while (!text.empty()) {
      if (most >= 0 && static_cast<std::int64_t>(parts.size()) == most) {
        parts.emplace_back(strip(text, Side::kRight, {}));
        break;
      }
      std::size_t end = 0;
      while (end < text.size() && space_at_begin(text.substr(end)) == 0) ++end;
      parts.emplace_back(text.substr(0, end));
      text = strip(text.substr(end), Side::kLeft, {});
    }
    return parts;
  }
  while (true) {
    const std::size_t found = most >= 0 && static_cast<std::int64_t>(parts.size()) == most
                                  ? std::string_view::npos
                                  : text.find(*separator);
    parts.emplace_back(text.substr(0, found));
    if (found == std::string_view::npos) return parts;
    text.remove_prefix(found + separator->size());
  }
}

std::vector<std::string> split_text_from_right(std::string_view text,
                                               std::optional<std::string_view> separator,
                                               std::int64_t most) {
  std::vector<std::string> parts;
  const auto full = [&] { return most >= 0 && static_cast<std::int64_t>(parts.size()) == most; };
  if (!separator) {
    text = strip(text, Side::kRight, {});
    while (!text.empty()) {
      if (full()) {
        parts.emplace_back(strip(text, Side::kLeft, {}));
        break;
      }
      std::size_t begin = text.size();
      while (begin > 0 && space_at_end(text.substr(0, begin)) == 0) --begin;
      parts.emplace_back(text.substr(begin));
      text = strip(text.substr(0, begin), Side::kRight, {});
    }
  } else {
    while (true) {
      const std::size_t found = full() ? std::string_view::npos : text.rfind(*separator);
      if (found == std::string_view::npos) {
        parts.emplace_back(text);
        break;
      }
      parts.emplace_back(text.substr(found + separator->size()));
      text = text.substr(0, found);
    }
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::optional<std::string> replace_text(std::string_view text, std::string_view old,
                                        std::string_view by, std::int64_t most,
                                        std::size_t largest) {
  std::string result;
  std::int64_t done = 0;
  const auto more = [&] { return most < 0 || done < most; };
  if (old.empty()) {  // between all characters, and at both ends
    for (const std::string_view character : characters(text)) {
      if (more()) result += by, ++done;
      result += character;
      if (result.size() > largest) return std::nullopt;
    }
    if (more()) result += by;
  } else {
    for (std::size_t found; more() && (found = text.find(old)) != std::string_view::npos; ++done) {
      result += text.substr(0, found);
      result += by;
      text.remove_prefix(found + old.size());
      if (result.size() > largest) return std::nullopt;
    }
    result += text;
  }
  if (result.size() > largest) return std::nullopt;
  return result;
}

std::string upper(std::string_view text) {
  return from_icu(to_icu(text).toUpper(icu::Locale::getRoot()));
}

std::string lower(std::string_view text) {
  return from_icu(to_icu(text).toLower(icu::Locale::getRoot()));
}

std::string capitalize(std::string_view text) {
  const auto all = characters(text);
  if (all.empty()) return "";
  return upper(all[0]) + lower(text.substr(all[0].size()));
}

}  // namespace redqueen::jinja
