#include "redqueen/text/normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>

#include <algorithm>
#include <cstdint>

namespace redqueen {
namespace {

// Unicode normalization form C. Bytes that are no UTF-8 stay as they are.
std::string to_nfc(std::string_view text) {
  std::string result;
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(status);
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
    nfc->normalizeUTF8(0, {text.data(), static_cast<std::int32_t>(length)}, sink, nullptr, status);
    text.remove_prefix(length);
  }
  return result;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string_view step_name(NormalizerStep::Kind kind) {
  switch (kind) {
    case NormalizerStep::Kind::kPrepend:
      return "Prepend";
    case NormalizerStep::Kind::kReplace:
      return "Replace";
    case NormalizerStep::Kind::kNfc:
      break;
  }
  return "NFC";
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
    switch (step.kind) {
      case NormalizerStep::Kind::kNfc:
        if (!is_ascii(result)) result = to_nfc(result);
        break;
      case NormalizerStep::Kind::kPrepend:
        if (!result.empty()) result.insert(0, step.to);
        break;
      case NormalizerStep::Kind::kReplace:
        result = replace_all(result, step.from, step.to);
        break;
    }
  }
  return result;
}

bool Normalizer::concerns(std::string_view text) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const NormalizerStep& step) {
    return step.kind != NormalizerStep::Kind::kNfc || !is_ascii(text);
  });
}

bool Normalizer::replaces_spaces() const {
  bool replaced = false;
  for (const NormalizerStep& step : steps_) {
    if (step.kind == NormalizerStep::Kind::kNfc) continue;
    if (step.to.find(' ') != std::string::npos) {
      replaced = false;
    } else if (step.kind == NormalizerStep::Kind::kReplace && step.from == " ") {
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
