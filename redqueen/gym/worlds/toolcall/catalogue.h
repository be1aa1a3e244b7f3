// The tools of the world toolcall: what their arguments are, and how a request in words gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "redqueen/gym/common/worlds/lexicon.h"

namespace redqueen::toolcall {

enum class Kind {
  kText,      // of a lexicon
  kSentence,  // of a lexicon, in quotation marks
  kInteger,   // low..high
  kNumber,    // low..high hundredths
  kFlag,
  kChoice,
  kDate,     // "2027-03-14", low..high days from today
  kTime,     // "19:30", low..high minutes since midnight, on the quarters
  kMinutes,  // an integer low..high, in fives
  kTexts,    // a list of one to three texts of a lexicon, their order of no matter
  kObject,
  kRows,  // a list of one to three objects, their order of no matter
};

// The most days between today and a day of a request.
inline constexpr int kFarthestDay = 45;

// A value that an argument may take, and the words that mean it.
struct Choice {
  std::string_view value;
  std::string_view words;
};

struct Parameter {
  std::string_view key;  // words apart by "_"
  Kind kind = Kind::kText;
  std::string_view meaning;      // for the signature
  std::string_view phrase;       // for the request; the value stands for "{}"
  std::string_view denial = {};  // of a flag: what says false, as `phrase` says true
  const worlds::Lexicon* lexicon = nullptr;
  const Choice* choices = nullptr;
  std::size_t choice_count = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  const Parameter* parts = nullptr;
  std::size_t part_count = 0;
  bool optional = false;
  std::string_view fallback = {};  // JSON text: what an optional argument is when it is left out

  std::span<const Choice> options() const { return {choices, choice_count}; }
  std::span<const Parameter> members() const { return {parts, part_count}; }
};

struct Tool {
  std::string_view name;    // "book_table"
  std::string_view domain;  // "restaurant"
  std::string_view meaning;
  std::string_view request;  // "book a table": the request without its arguments
  const Parameter* parameters = nullptr;
  std::size_t parameter_count = 0;

  std::span<const Parameter> members() const { return {parameters, parameter_count}; }
};

// All tools, in order of their domains. Every argument's phrase holds its value, and no two
// arguments of a tool could take each other's phrases: so a request determines its calls.
std::span<const Tool> catalogue();

// nullptr: there is none of this name.
const Tool* find_tool(std::string_view name);
const Parameter* find_parameter(std::span<const Parameter> members, std::string_view key);

}  // namespace redqueen::toolcall
