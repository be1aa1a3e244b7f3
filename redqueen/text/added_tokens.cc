#include "redqueen/text/added_tokens.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>

#include "redqueen/text/utf8.h"

namespace redqueen {
namespace {

bool is_word(Character c) {
  constexpr std::uint32_t kCategories = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return c.code >= 0 && (u_hasBinaryProperty(c.code, UCHAR_ALPHABETIC) ||
                         u_hasBinaryProperty(c.code, UCHAR_JOIN_CONTROL) ||
                         (U_GET_GC_MASK(c.code) & kCategories) != 0);
}

bool is_space(Character c) { return c.code >= 0 && u_isUWhiteSpace(c.code); }

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  return !is_word(last_character(text.substr(0, begin))) &&
         !is_word(first_character(text.substr(end)));
}

std::size_t skip_spaces_left(std::string_view text, std::size_t begin, std::size_t least) {
  while (begin > least) {
    const Character c = last_character(text.substr(least, begin - least));
    if (!is_space(c)) break;
    begin -= c.size;
  }
  return begin;
}

std::size_t skip_spaces_right(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    const Character c = first_character(text.substr(end));
    if (!is_space(c)) break;
    end += c.size;
  }
  return end;
}

}  // namespace

void AddedTokens::add(AddedToken token) {
  auto& list = by_first_byte_[static_cast<std::uint8_t>(token.content[0])];
  list.push_back(std::move(token));
  std::stable_sort(list.begin(), list.end(), [](const AddedToken& a, const AddedToken& b) {
    return a.content.size() > b.content.size();
  });
  empty_ = false;
}

const AddedToken* AddedTokens::find_at(std::string_view text) const {
  for (const AddedToken& token : by_first_byte_[static_cast<std::uint8_t>(text[0])]) {
    if (text.starts_with(token.content)) return &token;
  }
  return nullptr;
}

std::vector<TextPart> AddedTokens::cut(std::string_view text) const {
  std::vector<TextPart> parts;
  std::size_t start = 0;  // of what has not been handed out
  for (std::size_t i = empty_ ? text.size() : 0; i < text.size();) {
    const AddedToken* found = find_at(text.substr(i));
    if (found == nullptr) {
      ++i;
      continue;
    }
    std::size_t begin = i, end = i + found->content.size();
    i = end;
    if (found->single_word && !stands_alone(text, begin, end)) continue;
    if (found->lstrip) begin = skip_spaces_left(text, begin, start);
    if (found->rstrip) end = skip_spaces_right(text, end);
    if (begin > start) parts.push_back({text.substr(start, begin - start)});
    parts.push_back({text.substr(begin, end - begin), true, found->token});
    i = start = end;
  }
  if (start < text.size()) parts.push_back({text.substr(start)});
  return parts;
}

}  // namespace redqueen
