// Finds answers in a response, reads and writes them. A response is all that the policy wrote; an
// answer is the text that the response marks.
//
// All functions take hostile text: any bytes, any length. They run in time linear in the text,
// never throw, and return nullopt for malformed text. White space and integers are as Python's
// str.split() and int() have them on ASCII text, because that is how the published environments
// read answers; but 1_000 is no number, for nobody but Python writes it so.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/big_int.h"
#include "redqueen/base/enum_names.h"

namespace redqueen {

// The marks that a response puts around its answer.
enum class MarkerStyle {
  kAnswerTag,  // <answer>…</answer>
  kBoxed,      // \boxed{…}, braces balanced
};

// The reading of an answer's text, one setting for all environments.
enum class AnswerReading : std::uint8_t {
  kStrict,    // as the published environments do: plain numbers, white space, lines
  kTolerant,  // in other clothes as well: bold, LaTeX, brackets, commas … (plain_form.h)
};
inline constexpr auto kAnswerReadingNames = enum_names<AnswerReading>(
    {{"strict", AnswerReading::kStrict}, {"tolerant", AnswerReading::kTolerant}});

// A longer response is malformed.
inline constexpr std::size_t kDefaultMaxResponseBytes = std::size_t{1} << 20;

// The text of the last marked span, trimmed. Text before the first assistant marker ("Assistant:",
// or failing that "<|im_start|>assistant") is ignored. nullopt: no complete span, or more than
// `max_bytes` of response.
std::optional<std::string_view> extract_answer(std::string_view response, MarkerStyle style,
                                               std::size_t max_bytes = kDefaultMaxResponseBytes);

bool is_space(char c);
std::string_view trim(std::string_view text);

// The parts between runs of white space.
std::vector<std::string_view> split_words(std::string_view text);

// Lines with anything but white space in them, trimmed.
std::vector<std::string_view> split_lines(std::string_view text);

// An optional sign and decimal digits, white space around ignored; at most 4300 digits, as Python's
// int() has it.
std::optional<BigInt> parse_integer(std::string_view text);

// Reads an integer as parse_integer() does, in 64 bits. A value that does not fit becomes
// kHugePositive or kHugeNegative, which no verifier counts as anything but out of range: check
// ranges before calculating.
inline constexpr std::int64_t kHugePositive = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kHugeNegative = std::numeric_limits<std::int64_t>::min();
std::optional<std::int64_t> parse_int64(std::string_view text);

// Integers separated by white space; empty text is the empty list. Every integer as parse_int64
// reads it.
std::optional<std::vector<std::int64_t>> parse_int_list(std::string_view text);

// Integers of any size separated by white space.
std::optional<std::vector<BigInt>> parse_integer_list(std::string_view text);

// One row a line, blank lines skipped; rows may differ in length.
std::optional<std::vector<std::vector<std::int64_t>>> parse_int_matrix(std::string_view text);

// Exactly two integers a line, blank lines skipped.
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> parse_int_pairs(
    std::string_view text);

// A finite decimal number, with optional sign, point and exponent. inf, nan and what overflows are
// malformed.
std::optional<double> parse_real(std::string_view text);

// The reader of an answer's type, for environments that ask for nothing special.
template <typename Answer>
std::optional<Answer> parse_answer(std::string_view text) = delete;
template <>
inline std::optional<BigInt> parse_answer(std::string_view text) {
  return parse_integer(text);
}
template <>
inline std::optional<std::int64_t> parse_answer(std::string_view text) {
  return parse_int64(text);
}
template <>
inline std::optional<std::vector<std::int64_t>> parse_answer(std::string_view text) {
  return parse_int_list(text);
}
template <>
inline std::optional<std::vector<BigInt>> parse_answer(std::string_view text) {
  return parse_integer_list(text);
}
template <>
inline std::optional<std::vector<std::vector<std::int64_t>>> parse_answer(std::string_view text) {
  return parse_int_matrix(text);
}
template <>
inline std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> parse_answer(
    std::string_view text) {
  return parse_int_pairs(text);
}

// The text form of an answer; parse reads it back.
std::string format_answer(std::int64_t value);
std::string format_answer(int value);
std::string format_answer(double value);  // shortest text that reads back to the same double
std::string format_answer(const BigInt& value);
std::string format_answer(const std::string& value);
std::string format_answer(const std::vector<std::int64_t>& values);
std::string format_answer(const std::vector<int>& values);
std::string format_answer(const std::vector<BigInt>& values);
std::string format_answer(const std::vector<double>& values);
std::string format_answer(const std::vector<std::string>& lines);               // a line each
std::string format_answer(const std::vector<std::vector<std::int64_t>>& rows);  // a row a line
std::string format_answer(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs);  // a pair a line

}  // namespace redqueen
