#include "redqueen/text/normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>

#include "redqueen/text/utf8.h"

namespace redqueen {
namespace {

using Kind = NormalizerStep::Kind;

const icu::Normalizer2* form_of(Kind kind, UErrorCode& status) {
  switch (kind) {
    case Kind::kNfd:
      return icu::Normalizer2::getNFDInstance(status);
    case Kind::kNfkc:
      return icu::Normalizer2::getNFKCInstance(status);
    case Kind::kNfkd:
      return icu::Normalizer2::getNFKDInstance(status);
    default:
      return icu::Normalizer2::getNFCInstance(status);
  }
}

bool is_form(Kind kind) {
  return kind == Kind::kNfc || kind == Kind::kNfd || kind == Kind::kNfkc || kind == Kind::kNfkd;
}

// The Unicode normalization form of a kind. Bytes that are no UTF-8 stay as they are.
std::string to_form(Kind kind, std::string_view text) {
  std::string result;
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form = form_of(kind, status);
  if (U_FAILURE(status))
    return std::string(text);  // ICU's data are compiled into it: cannot happen
  // ICU counts in 32 bits; cut at line ends, which no composition crosses.
  constexpr std::size_t kLongest = std::size_t{1} << 30;
  icu::StringByteSink<std::string> sink(&result,
                                        static_cast<std::int32_t>(std::min(text.size(), kLongest)));
  while (!text.empty()) {
    std::size_t length = std::min(text.size(), kLongest);
    if (length < text.size()) {
      const std::size_t line_end = text.rfind('\n', length - 1);
      if (line_end != std::string_view::npos) length = line_end + 1;
    }
    form->normalizeUTF8(0, {text.data(), static_cast<std::int32_t>(length)}, sink, nullptr, status);
    text.remove_prefix(length);
  }
  return result;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string_view step_name(Kind kind) {
  switch (kind) {
    case Kind::kNfd:
      return "NFD";
    case Kind::kNfkc:
      return "NFKC";
    case Kind::kNfkd:
      return "NFKD";
    case Kind::kPrepend:
      return "Prepend";
    case Kind::kReplace:
      return "Replace";
    case Kind::kStrip:
      return "Strip";
    case Kind::kNfc:
      break;
  }
  return "NFC";
}

bool is_space(Character c) { return c.code >= 0 && u_isUWhiteSpace(c.code); }

std::string strip(std::string_view text, bool left, bool right) {
  while (left && is_space(first_character(text))) text.remove_prefix(first_character(text).size);
  while (right && is_space(last_character(text))) text.remove_suffix(last_character(text).size);
  return std::string(text);
}

}  // namespace

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t found; (found = text.find(from)) != std::string_view::npos;) {
    result.append(text.substr(0, found)).append(to);
    text.remove_prefix(found + from.size());
  }
  return result.append(text);
}

std::string Normalizer::apply(std::string_view text) const {
  std::string result(text);
  for (const NormalizerStep& step : steps_) {
    if (is_form(step.kind)) {
      if (!is_ascii(result)) result = to_form(step.kind, result);
    } else if (step.kind == Kind::kPrepend) {
      if (!result.empty()) result.insert(0, step.to);
    } else if (step.kind == Kind::kStrip) {
      result = strip(result, step.left, step.right);
    } else {
      result = step.pattern ? step.pattern->replace(result, step.to)
                            : replace_all(result, step.from, step.to);
    }
  }
  return result;
}

bool Normalizer::concerns(std::string_view text) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const NormalizerStep& step) {
    return !is_form(step.kind) || !is_ascii(text);
  });
}

bool Normalizer::replaces_spaces() const {
  bool replaced = false;
  for (const NormalizerStep& step : steps_) {
    if (step.kind == Kind::kNfkc || step.kind == Kind::kNfkd) replaced = false;  // U+00A0
    if (step.kind != Kind::kPrepend && step.kind != Kind::kReplace) continue;
    if (step.to.find(' ') != std::string::npos) {
      replaced = false;
    } else if (step.kind == Kind::kReplace && step.from == " ") {
      replaced = true;
    }
  }
  return replaced;
}

std::string Normalizer::names() const {
  std::string names;
  for (const NormalizerStep& step : steps_) {
    if (!names.empty()) names += ", ";
    names += step_name(step.kind);
  }
  return names.empty() ? "none" : names;
}

}  // namespace redqueen
