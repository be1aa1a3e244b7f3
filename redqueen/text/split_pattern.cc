#include "redqueen/text/split_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

namespace redqueen {
namespace {

struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

std::string with_unicode_spaces(std::string_view pattern) {
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\' || i + 1 == pattern.size()) {
      result += pattern[i];
      continue;
    }
    const char kind = pattern[++i];
    if (kind == 's') {
      result += R"(\p{White_Space})";
    } else if (kind == 'S') {
      result += R"(\P{White_Space})";
    } else {
      result += '\\';
      result += kind;
    }
  }
  return result;
}

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

// What pcre2_match() is given as text: PCRE2 takes pointers to unsigned bytes.
PCRE2_SPTR subject(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// Where the character after that at `position` begins.
std::size_t next_character(std::string_view text, std::size_t position) {
  do {
    ++position;
  } while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80);
  return position;
}

}  // namespace

struct SplitPattern::Compiled {
  explicit Compiled(pcre2_code* compiled) : code(compiled) {}
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { pcre2_code_free(code); }

  pcre2_code* code;
};

Expected<SplitPattern> SplitPattern::compile(std::string_view pattern) {
  const std::string translated = with_unicode_spaces(pattern);
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* compiled =
      pcre2_compile(subject(translated), translated.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &code, &offset, nullptr);
  if (compiled == nullptr) {
    return usage_error("split pattern {}: {} (at byte {})", translated, message_of(code), offset);
  }
  // Without a just-in-time compiler (a kernel may forbid it) matching is slower and otherwise the
  // same.
  pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
  return SplitPattern(std::make_shared<const Compiled>(compiled));
}

std::string escaped_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    const bool punctuation = static_cast<unsigned char>(c) < 0x80 && std::ispunct(c) != 0;
    if (punctuation) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::vector<SplitPattern::Stretch> SplitPattern::stretches(std::string_view text) const {
  std::vector<Stretch> result;
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(pcre2_match_data_create(1, nullptr));
  std::size_t start = 0;   // of what has not been handed out
  std::size_t search = 0;  // from where to look for the next match
  while (search < text.size()) {
    int found =
        pcre2_match(compiled_->code, subject(text), text.size(), search, 0, match.get(), nullptr);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
      found = pcre2_match(compiled_->code, subject(text), text.size(), search, PCRE2_NO_JIT,
                          match.get(), nullptr);
    }
    if (found < 0) break;  // no more matches, or a limit of PCRE2: the rest is one piece
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
    if (bounds[1] <= bounds[0]) {  // an empty match cuts nothing
      search = next_character(text, std::max<std::size_t>(bounds[0], search));
      continue;
    }
    if (bounds[0] > start) result.push_back({text.substr(start, bounds[0] - start), false});
    result.push_back({text.substr(bounds[0], bounds[1] - bounds[0]), true});
    start = search = bounds[1];
  }
  if (start < text.size()) result.push_back({text.substr(start), false});
  return result;
}

void SplitPattern::split(std::string_view text, SplitBehavior behavior, bool invert,
                         std::vector<std::string_view>& pieces) const {
  const std::size_t before = pieces.size();
  bool previous = false;  // whether the stretch before was a match
  for (const Stretch& stretch : stretches(text)) {
    const bool match = stretch.is_match != invert;
    bool joins = false;  // the piece before it
    switch (behavior) {
      case SplitBehavior::kIsolated:
        break;
      case SplitBehavior::kRemoved:
        if (match) continue;
        break;
      case SplitBehavior::kContiguous:
        joins = match == previous;
        break;
      case SplitBehavior::kMergedWithPrevious:
        joins = match && !previous;
        break;
      case SplitBehavior::kMergedWithNext:
        joins = !match && previous;
        break;
    }
    previous = match;
    if (joins && pieces.size() > before) {
      const std::string_view last = pieces.back();
      pieces.back() = {last.data(), last.size() + stretch.text.size()};
    } else {
      pieces.push_back(stretch.text);
    }
  }
}

std::string SplitPattern::replace(std::string_view text, std::string_view content) const {
  std::string result;
  for (const Stretch& stretch : stretches(text))
    result += stretch.is_match ? content : stretch.text;
  return result;
}

}  // namespace redqueen
