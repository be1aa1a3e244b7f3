// Cuts the source of a template into tokens, with Jinja's rules for white space around tags as
// transformers sets them (trim_blocks, lstrip_blocks).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::jinja {

enum class TemplateTokenKind {
  kText,         // outside of tags
  kBlockBegin,   // {%
  kBlockEnd,     // %}
  kOutputBegin,  // {{
  kOutputEnd,    // }}
  kName,
  kString,  // its characters, escapes resolved
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct TemplateToken {
  TemplateTokenKind kind;
  std::string text;
  int line;
};

// Ends with a kEnd. Fails with the line of what it cannot read.
Expected<std::vector<TemplateToken>> lex_template(std::string_view source);

// White space as Python's str.isspace() sees it, in one place: the length in bytes of the character
// at the beginning, or at the end, of `text` if it is white space, else 0.
std::size_t space_at_begin(std::string_view text);
std::size_t space_at_end(std::string_view text);

}  // namespace redqueen::jinja
