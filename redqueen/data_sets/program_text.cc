#include "redqueen/data_sets/program_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"

namespace redqueen::data_sets {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_letter_or_digit(char c) {
  return is_ascii_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

std::string_view without_end_spaces(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// With its spaces, and empty ones too, unlike split_lines().
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// --- fences -------------------------------------------------------------------------------------

// A line that begins or ends a block.
struct Fence {
  std::size_t indent = 0;
  char mark = 0;
  std::size_t length = 0;
  std::string_view info;  // what follows the marks
};

std::optional<Fence> fence_of(std::string_view line) {
  Fence fence;
  fence.indent = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view rest = without_end_spaces(line.substr(fence.indent));
  if (rest.empty() || (rest[0] != '`' && rest[0] != '~')) return std::nullopt;
  fence.mark = rest[0];
  fence.length = std::min(rest.find_first_not_of(fence.mark), rest.size());
  if (fence.length < 3) return std::nullopt;
  fence.info = trim(rest.substr(fence.length));
  return fence;
}

// Marks that stand deeper than the block belong to what is in it: a docstring, say.
bool closes(const Fence& line, const Fence& open) {
  return line.mark == open.mark && line.length >= open.length && line.info.empty() &&
         line.indent <= open.indent + 3;
}

struct Block {
  std::string language;  // in lower case
  std::string text;
};

std::string language_of(std::string_view info) {
  const std::size_t begin = std::min(info.find_first_not_of("{. "), info.size());
  std::string language;
  for (const char c : info.substr(begin)) {
    if (!is_letter_or_digit(c) && c != '+' && c != '#') break;
    language += ascii_lower(c);
  }
  return language;
}

constexpr std::array<std::string_view, 5> kPython{"python", "py", "python3", "py3", "python2"};

bool may_be_python(const Block& block) {
  return block.language.empty() || std::ranges::find(kPython, block.language) != kPython.end();
}

// "```python print(1)```": all in one line. nullopt: the line is another one.
std::optional<Block> block_in_line(const Fence& fence) {
  const std::string marks(fence.length, fence.mark);
  if (!fence.info.ends_with(marks)) return std::nullopt;
  std::string_view text = trim(fence.info.substr(0, fence.info.size() - marks.size()));
  Block block;
  const std::size_t word = std::min(text.find(' '), text.size());
  if (std::ranges::find(kPython, language_of(text.substr(0, word))) != kPython.end() &&
      word < text.size()) {
    block.language = language_of(text.substr(0, word));
    text = trim(text.substr(word));
  }
  block.text = std::string(text) + "\n";
  return block;
}

std::vector<Block> blocks_of(std::string_view answer) {
  std::vector<Block> blocks;
  std::optional<Fence> open;
  while (!answer.empty()) {
    std::string_view line = take_line(answer);
    const auto fence = fence_of(line);
    if (!open) {
      if (!fence) continue;
      if (auto block = block_in_line(*fence)) {
        blocks.push_back(*std::move(block));
      } else {
        open = fence;
        blocks.push_back({.language = language_of(fence->info), .text = {}});
      }
    } else if (fence && closes(*fence, *open)) {
      open.reset();
    } else {
      const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
      line.remove_prefix(std::min(indent, open->indent));
      blocks.back().text.append(line).push_back('\n');
    }
  }
  return blocks;
}

// True if `name` stands behind "def" or "class", or before "=", at the beginning of a line.
bool defines(std::string_view program, std::string_view name) {
  while (!program.empty()) {
    std::string_view line = trim(take_line(program));
    bool keyword = false;
    for (const std::string_view word : {"async ", "def ", "class "}) {
      if (!line.starts_with(word)) continue;
      keyword = keyword || word != "async ";
      line = trim(line.substr(word.size()));
    }
    if (!line.starts_with(name)) continue;
    line = trim(line.substr(name.size()));
    const bool ends = line.empty() || !(is_letter_or_digit(line[0]) || line[0] == '_');
    if (ends && (keyword || (line.starts_with('=') && !line.starts_with("==")))) return true;
  }
  return false;
}

// --- numbers ------------------------------------------------------------------------------------

// 0.digits · 10^exponent without zeros at either end; zero has no digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
  bool operator==(const Decimal&) const = default;
};

// As Python's Decimal reads a text. nullopt: no finite number.
std::optional<Decimal> decimal_of(std::string_view text) {
  Decimal decimal;
  if (text.starts_with('-') || text.starts_with('+')) {
    decimal.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  if (e < text.size()) {
    std::string_view power = text.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto exponent = parse_int64(power);
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    if (!exponent || *exponent > kMost || *exponent < -kMost) return std::nullopt;
    decimal.exponent = *exponent;
  }
  bool point = false;
  bool any = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.' && !point) {
      point = true;
    } else if (is_ascii_digit(c)) {
      any = true;
      decimal.digits += c;
      if (!point) ++decimal.exponent;
    } else {
      return std::nullopt;
    }
  }
  if (!any) return std::nullopt;
  const std::size_t first = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, first);
  decimal.exponent -= static_cast<std::int64_t>(first);
  while (decimal.digits.ends_with('0')) decimal.digits.pop_back();
  return decimal.digits.empty() ? Decimal{} : decimal;
}

bool same_decimals(std::string_view given, std::string_view expected) {
  const auto a = split_words(given);
  const auto b = split_words(expected);
  return std::ranges::equal(a, b, [](std::string_view left, std::string_view right) {
    const auto number = decimal_of(left);
    return number && number == decimal_of(right);
  });
}

bool same_line(std::string_view given, std::string_view expected, OutputCompare compare) {
  if (compare == OutputCompare::kLines)
    return without_end_spaces(given) == without_end_spaces(expected);
  given = trim(given);
  expected = trim(expected);
  return given == expected || same_decimals(given, expected);
}

}  // namespace

std::string program_of(std::string_view answer, std::string_view name) {
  if (answer.starts_with(kByteOrderMark)) answer.remove_prefix(kByteOrderMark.size());
  std::vector<Block> blocks = blocks_of(answer);
  if (blocks.empty()) return std::string(without_end_spaces(answer));
  const Block* last = nullptr;
  const Block* python = nullptr;
  const Block* named = nullptr;
  for (const Block& block : blocks) {
    if (trim(block.text).empty()) continue;
    last = &block;
    if (!may_be_python(block)) continue;
    python = &block;
    if (!name.empty() && defines(block.text, name)) named = &block;
  }
  const Block* const found = named != nullptr ? named : python != nullptr ? python : last;
  return found == nullptr ? std::string() : found->text;
}

bool same_output(std::string_view given, std::string_view expected, OutputCompare compare) {
  given = compare == OutputCompare::kLines ? without_end_spaces(given) : trim(given);
  expected = compare == OutputCompare::kLines ? without_end_spaces(expected) : trim(expected);
  while (!given.empty() || !expected.empty()) {
    if (given.empty() != expected.empty() ||
        !same_line(take_line(given), take_line(expected), compare))
      return false;
  }
  return true;
}

}  // namespace redqueen::data_sets
