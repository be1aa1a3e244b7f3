#include "redqueen/core/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace redqueen {
namespace {

constexpr std::string_view kOpenTag = "<answer>";
constexpr std::string_view kCloseTag = "</answer>";
constexpr std::string_view kBox = "\\boxed{";
constexpr std::size_t kMaxDigits = 4300;
constexpr std::ptrdiff_t kShort = 20;  // what has a sign and 64 bits, without zeros before it

// is_space() for the loops of this file: a function that other libraries may replace (-fPIC) is
// never inlined.
constexpr bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}

constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view after_assistant_marker(std::string_view response) {
  for (const std::string_view marker : {"Assistant:", "<|im_start|>assistant"}) {
    const std::size_t place = response.find(marker);
    if (place != std::string_view::npos) return response.substr(place + marker.size());
  }
  return response;
}

// The last opening tag that a closing tag follows, up to the first closing tag after it.
std::optional<std::string_view> last_tagged_span(std::string_view text) {
  const std::size_t last_close = text.rfind(kCloseTag);
  if (last_close == std::string_view::npos) return std::nullopt;
  const std::size_t open = text.substr(0, last_close).rfind(kOpenTag);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t begin = open + kOpenTag.size();
  return text.substr(begin, text.find(kCloseTag, begin) - begin);
}

// The last-starting \boxed{ whose brace is closed. One pass: open braces wait on a stack for their
// partners.
std::optional<std::string_view> last_boxed_span(std::string_view text) {
  struct Open {
    std::size_t content;  // index after the brace
    bool boxed;
  };
  std::vector<Open> stack;
  std::optional<std::pair<std::size_t, std::size_t>> last;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (text.substr(i, kBox.size()) == kBox) {
        i += kBox.size() - 1;
        stack.push_back({i + 1, true});
      } else if (i + 1 < text.size() && (text[i + 1] == '{' || text[i + 1] == '}')) {
        ++i;  // an escaped brace is text
      }
    } else if (text[i] == '{') {
      stack.push_back({i + 1, false});
    } else if (text[i] == '}' && !stack.empty()) {
      const Open open = stack.back();
      stack.pop_back();
      if (open.boxed && (!last || open.content > last->first)) last = {open.content, i};
    }
  }
  if (!last) return std::nullopt;
  return text.substr(last->first, last->second - last->first);
}

// The sign and digits of an integer; false if it is none.
bool read_digits(std::string_view text, bool& negative, std::string& digits) {
  text = trimmed(text);
  negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text.size() > kMaxDigits) return false;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  digits = text;
  return true;
}

// What `read` makes of every part, or nullopt if any is malformed.
template <typename Part, typename Read>
auto parse_all(const std::vector<Part>& parts, Read read)
    -> std::optional<std::vector<typename std::invoke_result_t<Read, Part>::value_type>> {
  std::vector<typename std::invoke_result_t<Read, Part>::value_type> values;
  values.reserve(parts.size());
  for (const Part& part : parts) {
    auto value = read(part);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

template <typename Items, typename Format>
std::string join(const Items& items, std::string_view separator, Format format) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += separator;
    first = false;
    text += format(item);
  }
  return text;
}

constexpr auto kFormatOne = [](const auto& item) { return format_answer(item); };

// Most answers and most prompts are lists of integers: no text of its own for each.
template <typename Integer>
void append_integers(std::string& text, const std::vector<Integer>& values) {
  bool first = true;
  for (const Integer value : values) {
    if (!std::exchange(first, false)) text += ' ';
    const fmt::format_int digits(value);
    text.append(digits.data(), digits.size());
  }
}

template <typename Integer>
std::string join_integers(const std::vector<Integer>& values) {
  std::string text;
  append_integers(text, values);
  return text;
}

}  // namespace

std::optional<std::string_view> extract_answer(std::string_view response, MarkerStyle style,
                                               std::size_t max_bytes) {
  if (response.size() > max_bytes) return std::nullopt;
  const std::string_view text = after_assistant_marker(response);
  const auto span = style == MarkerStyle::kBoxed ? last_boxed_span(text) : last_tagged_span(text);
  if (!span) return std::nullopt;
  return trimmed(*span);
}

bool is_space(char c) { return is_white(c); }

std::string_view trim(std::string_view text) { return trimmed(text); }

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && is_white(text[i])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && !is_white(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\n\r", begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    if (!line.empty()) lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

std::optional<BigInt> parse_integer(std::string_view text) {
  bool negative = false;
  std::string digits;
  if (!read_digits(text, negative, digits)) return std::nullopt;
  const std::size_t leading = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  const BigInt value(digits.substr(leading));  // a leading 0 would mean octal
  return negative ? BigInt(-value) : value;
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  if (const std::string_view word = trimmed(text); std::ssize(word) <= kShort) {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (fault == std::errc() && end == word.data() + word.size()) return value;
  }
  bool negative = false;
  std::string digits;
  if (!read_digits(text, negative, digits)) return std::nullopt;
  if (negative) digits.insert(digits.begin(), '-');
  std::int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range) return negative ? kHugeNegative : kHugePositive;
  return value;
}

// Most answers are such lists: no list of words before the list of numbers.
std::optional<std::vector<std::int64_t>> parse_int_list(std::string_view text) {
  std::vector<std::int64_t> values;
  values.reserve(text.size() / 4 + 1);
  for (std::size_t i = 0; i < text.size();) {
    if (is_white(text[i])) {
      ++i;
      continue;
    }
    const char* const word = text.data() + i;
    const char* const end = text.data() + text.size();
    std::int64_t plain = 0;
    const auto [stop, fault] = std::from_chars(word, end, plain);
    if (fault == std::errc() && (stop == end || is_white(*stop)) && stop - word <= kShort) {
      values.push_back(plain);
      i += static_cast<std::size_t>(stop - word);
      continue;
    }
    const std::size_t begin = i;  // a sign +, more than 64 bits, or no number
    while (i < text.size() && !is_white(text[i])) ++i;
    const auto value = parse_int64(text.substr(begin, i - begin));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<BigInt>> parse_integer_list(std::string_view text) {
  return parse_all(split_words(text), parse_integer);
}

std::optional<std::vector<std::vector<std::int64_t>>> parse_int_matrix(std::string_view text) {
  return parse_all(split_lines(text), parse_int_list);
}

std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> parse_int_pairs(
    std::string_view text) {
  return parse_all(
      split_lines(text),
      [](std::string_view line) -> std::optional<std::pair<std::int64_t, std::int64_t>> {
        const auto row = parse_int_list(line);
        if (!row || row->size() != 2) return std::nullopt;
        return std::pair{(*row)[0], (*row)[1]};
      });
}

std::optional<double> parse_real(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return std::nullopt;
  }
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    value = std::strtod(std::string(text).c_str(), nullptr);  // tells too small (0) from too large
  } else if (result.ec != std::errc()) {
    return std::nullopt;
  }
  if (result.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string format_answer(std::int64_t value) { return fmt::format("{}", value); }
std::string format_answer(int value) { return fmt::format("{}", value); }
std::string format_answer(double value) { return fmt::format("{}", value); }
std::string format_answer(const BigInt& value) { return value.str(); }
std::string format_answer(const std::string& value) { return value; }
std::string format_answer(const std::vector<std::int64_t>& values) { return join_integers(values); }
std::string format_answer(const std::vector<int>& values) { return join_integers(values); }
std::string format_answer(const std::vector<BigInt>& values) {
  return join(values, " ", kFormatOne);
}
std::string format_answer(const std::vector<double>& values) {
  return join(values, " ", kFormatOne);
}
std::string format_answer(const std::vector<std::string>& lines) {
  return join(lines, "\n", kFormatOne);
}
std::string format_answer(const std::vector<std::vector<std::int64_t>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    if (&row != rows.data()) text += '\n';
    append_integers(text, row);
  }
  return text;
}
std::string format_answer(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  return join(pairs, "\n",
              [](const auto& pair) { return fmt::format("{} {}", pair.first, pair.second); });
}

}  // namespace redqueen
