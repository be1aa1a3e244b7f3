#include "redqueen/code_tasks/extraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "redqueen/core/answer.h"

namespace redqueen::code_tasks {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return result;
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Takes the first line off the front of `text`, without its line end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// White space and what Markdown puts before and behind a heading, an item of a list or bold text.
std::string_view without_decoration(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r#*_>-");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  while (!text.empty() && (is_space(text.back()) || text.back() == '*' || text.back() == '_'))
    text.remove_suffix(1);
  return text;
}

// Bold text and code as a line has them.
std::string_view without_quotes(std::string_view text) {
  text = trim(text);
  for (const std::string_view quote : {"**", "`"}) {
    while (text.size() >= 2 * quote.size() && text.starts_with(quote) && text.ends_with(quote))
      text = trim(text.substr(quote.size(), text.size() - 2 * quote.size()));
  }
  return text;
}

constexpr std::array<std::string_view, 12> kInputLabels{
    "input",     "inputs",          "arguments",     "args",
    "argument",  "test input",      "sample input",  "example",
    "the input", "input arguments", "example input", "call"};
constexpr std::array<std::string_view, 7> kOutputLabels{
    "output", "answer", "result", "final answer", "returns", "expected output", "the output"};
constexpr std::array<std::string_view, 3> kMessageLabels{"message", "hint", "msg"};

// What stands behind a label such as "Input:", "**Input 3:**" or "# input ="; nullopt: no label.
std::optional<std::string_view> labelled(std::string_view line,
                                         std::span<const std::string_view> labels) {
  line = without_decoration(line);
  constexpr std::size_t kLongest = 24;
  const std::string start = lower(line.substr(0, kLongest));
  std::size_t size = 0;
  for (const std::string_view label : labels) {
    if (start.starts_with(label)) size = std::max(size, label.size());
  }
  if (size == 0) return std::nullopt;
  line.remove_prefix(size);
  line.remove_prefix(std::min(line.find_first_not_of(" #0123456789*_`"), line.size()));
  if (!line.starts_with(':') && (!line.starts_with('=') || line.starts_with("=="))) {
    if (!line.empty()) return std::nullopt;
    return line;
  }
  line.remove_prefix(1);
  while (line.starts_with("**") || line.starts_with("__")) line.remove_prefix(2);
  return trim(line);
}

// --- blocks -------------------------------------------------------------------------------------

enum class BlockKind { kPython, kInput, kOutput, kMessage, kPlain, kOther };

struct Block {
  BlockKind kind = BlockKind::kPlain;
  std::string text;
};

BlockKind kind_of(std::string_view info) {
  std::string word;
  for (const char c : info.substr(0, std::min<std::size_t>(info.size(), 16))) {
    if (!is_name_start(c)) break;
    word += c;
  }
  word = lower(word);
  if (one_of(word, {"", "text", "plaintext", "txt", "json", "plain"})) return BlockKind::kPlain;
  if (one_of(word, {"python", "py"})) return BlockKind::kPython;
  if (one_of(word, {"input", "inputs", "args", "arguments"})) return BlockKind::kInput;
  if (one_of(word, {"output", "result", "answer"})) return BlockKind::kOutput;
  if (one_of(word, {"message", "msg", "hint"})) return BlockKind::kMessage;
  return BlockKind::kOther;
}

// What a heading says of the block below it.
BlockKind kind_below(std::string_view heading) {
  const auto heads = [&](std::span<const std::string_view> labels) {
    const auto behind = labelled(heading, labels);
    return behind && behind->empty();
  };
  if (heads(kInputLabels)) return BlockKind::kInput;
  if (heads(kOutputLabels)) return BlockKind::kOutput;
  if (heads(kMessageLabels)) return BlockKind::kMessage;
  return BlockKind::kPlain;
}

// A line of three or more ` or ~ and an info string; nothing otherwise.
std::optional<std::string_view> fence_info(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("```") && !line.starts_with("~~~")) return std::nullopt;
  const char letter = line[0];
  line.remove_prefix(std::min(line.find_first_not_of(letter), line.size()));
  const std::string_view info = trim(line);
  if (info.find(letter) != std::string_view::npos) return std::nullopt;
  return info;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// Without the indentation that all lines have.
std::string dedented(std::string_view text) {
  std::size_t common = text.size();
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!trim(line).empty()) common = std::min(common, indentation(line));
  }
  if (common == 0 || common == text.size()) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    result += line.substr(std::min(common, line.size()));
    result += '\n';
  }
  return result;
}

// Fenced blocks in their order. The last one may lack its closing fence.
std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  Block open;
  bool is_open = false;
  std::size_t begin = 0;
  std::string_view heading;
  std::string_view rest = text;
  const auto close = [&](std::size_t end) {
    open.text = dedented(text.substr(begin, end - begin));
    blocks.push_back(open);
    is_open = false;
  };
  while (!rest.empty()) {
    const auto line_begin = static_cast<std::size_t>(rest.data() - text.data());
    const std::string_view line = take_line(rest);
    const auto info = fence_info(line);
    if (!info) {
      if (!is_open && !trim(line).empty()) heading = line;
      continue;
    }
    const bool closes = is_open && info->empty();
    if (is_open) close(line_begin);
    if (closes) continue;
    // With a language inside a block: that one was never closed.
    is_open = true;
    open = Block{info->empty() ? kind_below(heading) : kind_of(*info), {}};
    heading = {};
    begin = static_cast<std::size_t>(rest.data() - text.data());
  }
  if (is_open) close(text.size());
  return blocks;
}

// --- strings and brackets -----------------------------------------------------------------------

// Index behind the string literal that begins at `at`, or the end of the text.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool is_triple = text.substr(at).starts_with(triple);
  const std::size_t width = is_triple ? 3 : 1;
  for (std::size_t i = at + width; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (is_triple ? text.substr(i).starts_with(triple) : text[i] == quote) {
      return i + width;
    }
  }
  return text.size();
}

// Index of the bracket that closes the one at `open`; npos if there is none.
std::size_t closing_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = skip_string(text, i);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
    ++i;
  }
  return std::string_view::npos;
}

// The parts of a text between separators outside of brackets and strings; a part that leaves a
// bracket open goes on to the end.
std::vector<std::string_view> split_outside(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = skip_string(text, i);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == separator && depth == 0) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    ++i;
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

// --- programs -----------------------------------------------------------------------------------

std::string_view leading_name(std::string_view text) {
  if (text.empty() || !is_name_start(text[0])) return {};
  std::size_t size = 0;
  while (size < text.size() && is_name_char(text[size])) ++size;
  return text.substr(0, size);
}

// The functions that a text defines at its top level: "def NAME(", whatever the space in it.
std::vector<std::string_view> functions_of(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with("def")) continue;
    line.remove_prefix(3);
    if (line.empty() || !is_space(line[0])) continue;
    line = trim(line);
    const std::string_view name = leading_name(line);
    if (!name.empty() && trim(line.substr(name.size())).starts_with('(')) names.push_back(name);
  }
  return names;
}

bool only_imports(std::string_view text) {
  bool any = false;
  while (!text.empty()) {
    const std::string_view line = trim(take_line(text));
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with("import ") && !line.starts_with("from ")) return false;
    any = true;
  }
  return any;
}

// Without blank lines and white space around it; indentation of the first line is kept.
std::string_view trim_lines(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view before = rest;
    if (!trim(take_line(rest)).empty()) return before;
  }
  return {};
}

enum class Choice { kLongest, kLast };

// The block with the program: one that defines f if there is any, else one that defines a function.
const Block* program_block(const std::vector<Block>& blocks, Choice choice) {
  const Block* best = nullptr;
  bool best_has_f = false;
  for (const Block& block : blocks) {
    if (block.kind != BlockKind::kPython && block.kind != BlockKind::kPlain) continue;
    const std::vector<std::string_view> names = functions_of(block.text);
    if (names.empty()) continue;
    const bool has_f = std::ranges::find(names, "f") != names.end();
    const bool better = best == nullptr || (has_f && !best_has_f) ||
                        (has_f == best_has_f &&
                         (choice == Choice::kLast || block.text.size() >= best->text.size()));
    if (!better) continue;
    best = &block;
    best_has_f = has_f;
  }
  return best;
}

std::string imports_of(const std::vector<Block>& blocks, const Block* program) {
  std::string imports;
  for (const Block& block : blocks) {
    if (&block == program || !only_imports(block.text)) continue;
    if (!imports.empty()) imports += '\n';
    imports += trim_lines(block.text);
  }
  return imports;
}

// A program without fences: from its first line of code on, less what all of its lines are indented
// by; empty: no function is defined in it.
std::string bare_program(std::string_view text) {
  if (!functions_of(text).empty()) return std::string(text);
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto begin = static_cast<std::size_t>(rest.data() - text.data());
    const std::string_view line = take_line(rest);
    const std::string_view code = trim(line);
    if (!code.starts_with("def ") && !code.starts_with("import ") && !code.starts_with("from "))
      continue;
    const std::size_t indent = indentation(line);
    std::string_view body = text.substr(begin);
    std::size_t size = 0;
    while (!body.empty()) {
      const std::string_view next = take_line(body);
      if (!trim(next).empty() && indentation(next) < indent) break;
      size = body.empty() ? text.size() - begin
                          : static_cast<std::size_t>(body.data() - text.data()) - begin;
    }
    std::string program = dedented(text.substr(begin, size));
    if (!functions_of(program).empty()) return program;
  }
  return {};
}

// `source` with the function `name` called f, wherever it stands outside of text and comments.
std::string with_entry(std::string_view source, std::string_view name) {
  if (name == "f") return std::string(source);
  std::string result;
  for (std::size_t i = 0; i < source.size();) {
    std::size_t size = 1;
    if (source[i] == '"' || source[i] == '\'') {
      size = skip_string(source, i) - i;
    } else if (source[i] == '#') {
      size = std::min(source.find('\n', i), source.size()) - i;
    } else if (is_name_char(source[i])) {
      while (i + size < source.size() && is_name_char(source[i + size])) ++size;
      const bool attribute = i > 0 && source[i - 1] == '.';
      if (!attribute && source.substr(i, size) == name) {
        result += 'f';
        i += size;
        continue;
      }
    }
    result += source.substr(i, size);
    i += size;
  }
  return result;
}

// --- argument lists -----------------------------------------------------------------------------

// "x = 3" with a name on the left: one argument a line, as models like to write them.
bool is_assignment(std::string_view line) {
  const std::string_view name = leading_name(line);
  if (name.empty()) return false;
  const std::string_view rest = trim(line.substr(name.size()));
  return rest.starts_with('=') && !rest.starts_with("==");
}

// A call of `name` with which a text begins, after what people write before one.
struct CallText {
  std::string_view arguments;
  std::string_view rest;  // behind the call
};
std::optional<CallText> leading_call(std::string_view text, std::string_view name) {
  text = trim(text);
  for (const std::string_view lead : {">>>", "print(", "assert "}) {
    if (text.starts_with(lead)) text = trim(text.substr(lead.size()));
  }
  if (is_assignment(text)) text = trim(text.substr(text.find('=') + 1));
  if (!text.starts_with(name)) return std::nullopt;
  const std::size_t open = text.find_first_not_of(" \t", name.size());
  if (open == std::string_view::npos || text[open] != '(') return std::nullopt;
  const std::size_t close = closing_bracket(text, open);
  if (close == std::string_view::npos) return std::nullopt;
  return CallText{trim(text.substr(open + 1, close - open - 1)), text.substr(close + 1)};
}

// Whether a text begins as an argument list of literals does; prose does not.
bool looks_like_arguments(std::string_view text) {
  text = trim(text);
  if (text.empty()) return false;
  if (std::string_view("[({'\"-+.0123456789").find(text[0]) != std::string_view::npos) return true;
  if (is_assignment(text)) return true;
  const std::string_view name = leading_name(text);
  if (one_of(name, {"True", "False", "None", "b", "r"})) return true;
  return one_of(name, {"set", "float", "frozenset", "complex", "bytearray", "range"}) &&
         text.substr(name.size()).starts_with('(');
}

// Whether no bracket and no string is left open.
bool is_balanced(std::string_view line) {
  int depth = 0;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = skip_string(line, i);
      if (end == line.size() && line.back() != c) return false;
      i = end;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++i;
  }
  return depth == 0;
}

// An argument list out of what stands where one was asked for; empty: nothing.
std::string arguments_in(std::string_view text, std::string_view name = "f") {
  text = without_quotes(text);
  if (const auto value = labelled(text, kInputLabels); value && !value->empty()) text = *value;
  text = without_quotes(text);
  if (const auto call = leading_call(text, name); call && one_of(trim(call->rest), {"", ")"}))
    text = call->arguments;
  const std::vector<std::string_view> lines = split_lines(text);
  // One argument a line; a list that is laid out over several leaves brackets open.
  if (lines.size() > 1 && std::ranges::all_of(lines, [](std::string_view line) {
        return looks_like_arguments(line) && is_balanced(line);
      })) {
    std::string joined;
    for (std::string_view line : lines) {
      while (line.ends_with(',')) line = trim(line.substr(0, line.size() - 1));
      if (!joined.empty()) joined += ", ";
      joined += line;
    }
    return joined;
  }
  while (text.ends_with(',')) text = trim(text.substr(0, text.size() - 1));
  return std::string(text);
}

// An "input: …" line outside of blocks, or among the comments of a program.
std::string labelled_input(std::string_view text, std::string_view name) {
  std::string found;
  bool fenced = false;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (fence_info(line)) fenced = !fenced;
    if (fenced && !trim(line).starts_with('#')) continue;
    const auto value = labelled(line, kInputLabels);
    if (!value) continue;
    const std::string arguments = arguments_in(*value, name);
    if (looks_like_arguments(arguments) || leading_call(without_quotes(*value), name))
      found = arguments;
  }
  return found;
}

// A call in backquotes within the text: `f(3, 4)`. The last of them.
std::string quoted_call(std::string_view text, std::string_view name) {
  std::string found;
  const std::string opening = fmt::format("`{}(", name);
  for (std::size_t at = text.find(opening); at != std::string_view::npos;
       at = text.find(opening, at + 1)) {
    constexpr std::size_t kLongestCall = 1 << 12;
    const auto call = leading_call(text.substr(at + 1, kLongestCall), name);
    if (call && call->rest.starts_with('`') && looks_like_arguments(call->arguments))
      found = std::string(call->arguments);
  }
  return found;
}

// What is assigned to names at the top level of a program.
std::map<std::string, std::string, std::less<>> assignments_of(std::string_view program) {
  std::map<std::string, std::string, std::less<>> values;
  std::string_view rest = program;
  while (!rest.empty()) {
    const auto begin = static_cast<std::size_t>(rest.data() - program.data());
    const std::string_view line = take_line(rest);
    if (!is_assignment(line)) continue;
    // A value may go on over several lines, but not far.
    constexpr std::size_t kLongestValue = 1 << 12;
    const std::string_view value = program.substr(begin + line.find('=') + 1, kLongestValue);
    values[std::string(leading_name(line))] = split_outside(value, '\n').front();
  }
  return values;
}

// An argument list with the values of the names in it that the program assigns.
std::string with_values(std::string_view arguments, std::string_view program) {
  const std::vector<std::string_view> parts = split_outside(arguments, ',');
  if (std::ranges::none_of(
          parts, [](std::string_view part) { return !part.empty() && leading_name(part) == part; }))
    return std::string(arguments);
  const auto values = assignments_of(program);
  std::string joined;
  for (const std::string_view part : parts) {
    const auto found = values.find(part);
    if (!joined.empty()) joined += ", ";
    joined += found == values.end() ? part : std::string_view(found->second);
  }
  return joined;
}

// The last line of a program at which a call of `name` stands by itself, at the top level or in
// what is run as a script.
struct TrailingCall {
  std::size_t line_begin;
  std::string arguments;
};
std::optional<TrailingCall> trailing_call(std::string_view program, std::string_view name) {
  std::optional<TrailingCall> found;
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t script = kNone;
  std::string_view rest = program;
  while (!rest.empty()) {
    const auto begin = static_cast<std::size_t>(rest.data() - program.data());
    std::string_view line = take_line(rest);
    if (line.starts_with("if __name__")) script = begin;
    if (script != kNone && !line.empty() && !is_space(line[0]) && !line.starts_with("if __name__"))
      script = kNone;
    const std::size_t indent = script != kNone ? indentation(line) : 0;
    line.remove_prefix(indent);
    if (line.empty() || (!is_name_start(line[0]) && line[0] != '>')) continue;
    if (!line.starts_with(name) && !line.starts_with("print") && !line.starts_with(">>>") &&
        !line.starts_with("assert") && !is_assignment(line))
      continue;
    // A call may go on over several lines, but not far.
    constexpr std::size_t kLongestCall = 1 << 14;
    if (const auto call = leading_call(program.substr(begin + indent, kLongestCall), name))
      found = TrailingCall{script != kNone ? script : begin,
                           with_values(call->arguments, dedented(program))};
  }
  return found;
}

// The function of a program that is meant as its entry: f, else the one that is called at its end,
// else the last.
std::string_view entry_of(std::string_view program) {
  const std::vector<std::string_view> names = functions_of(program);
  if (names.empty()) return {};
  if (std::ranges::find(names, "f") != names.end()) return "f";
  constexpr std::size_t kMostTried = 8;
  const std::size_t first = names.size() - std::min(names.size(), kMostTried);
  for (std::size_t i = names.size(); i-- > first;) {
    if (trailing_call(program, names[i])) return names[i];
  }
  return names.back();
}

std::string input_from_blocks(const std::vector<Block>& blocks, const Block* program,
                              std::string_view name) {
  std::string marked;
  std::string plain;
  for (const Block& block : blocks) {
    if (&block == program || only_imports(block.text)) continue;
    if (block.kind == BlockKind::kInput) marked = arguments_in(block.text, name);
    if (block.kind != BlockKind::kPlain && block.kind != BlockKind::kPython) continue;
    const std::string arguments = arguments_in(block.text, name);
    if (const auto call = trailing_call(block.text, name)) {
      plain = call->arguments;
    } else if (looks_like_arguments(arguments)) {
      plain = arguments;
    }
  }
  return marked.empty() ? plain : marked;
}

// --- inputs and message -------------------------------------------------------------------------

// "3. x" and "- x" without what makes them items of a list.
std::string_view without_bullet(std::string_view line) {
  line = trim(line);
  std::size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
  const bool numbered = digits > 0 && digits + 1 < line.size() &&
                        (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ';
  if (numbered) return trim(line.substr(digits + 2));
  if (line.starts_with("- ") || line.starts_with("* ")) return trim(line.substr(2));
  return line;
}

// The inputs of one block: one, or several if each line is a call of f or a list of its own.
void add_inputs(std::vector<std::string>& inputs, std::string_view text) {
  std::vector<std::string> found;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with('#')) continue;
    const auto call = leading_call(line, "f");
    const bool whole = looks_like_arguments(line) && is_balanced(line) && !is_assignment(line);
    if (!call && !whole) {
      found = {arguments_in(text)};
      break;
    }
    found.push_back(call ? std::string(call->arguments) : arguments_in(line));
  }
  for (std::string& input : found) {
    if (!input.empty()) inputs.push_back(std::move(input));
  }
}

std::string comments_of(std::string_view text) {
  std::string message;
  for (std::string_view line : split_lines(text)) {
    if (!line.starts_with('#')) continue;
    line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
    if (!message.empty()) message += '\n';
    message += trim(line);
  }
  return message;
}

// A message between tags, behind a label, or below a heading.
std::string message_in(std::string_view text) {
  constexpr std::string_view kOpen = "<message>";
  constexpr std::string_view kClose = "</message>";
  if (const std::size_t open = text.find(kOpen); open != std::string_view::npos) {
    const std::size_t close = text.find(kClose, open);
    if (close != std::string_view::npos)
      return std::string(trim(text.substr(open + kOpen.size(), close - open - kOpen.size())));
  }
  while (!text.empty()) {
    const auto value = labelled(take_line(text), kMessageLabels);
    if (!value) continue;
    std::string message(without_quotes(*value));
    while (message.empty() && !text.empty()) {
      const std::string_view line = take_line(text);
      if (fence_info(line)) break;
      message = without_quotes(line);
    }
    if (!message.empty()) return message;
  }
  return {};
}

InputsAndMessage read_blocks(const std::vector<Block>& blocks) {
  InputsAndMessage found;
  for (const Block& block : blocks) {
    if (block.kind == BlockKind::kMessage) {
      found.message = std::string(trim(block.text));
    } else if (block.kind == BlockKind::kInput || block.kind == BlockKind::kPlain) {
      add_inputs(found.inputs, block.text);
    }
  }
  return found;
}

InputsAndMessage read_bare(std::string_view text) {
  InputsAndMessage found{.inputs = {}, .message = message_in(text)};
  if (found.message.empty()) found.message = comments_of(text);
  for (const std::string_view line : split_lines(text)) {
    const std::string_view item = without_bullet(line);
    if (const auto call = leading_call(without_quotes(item), "f")) {
      found.inputs.emplace_back(call->arguments);
    } else if (const auto value = labelled(item, kInputLabels); value && !value->empty()) {
      if (looks_like_arguments(without_quotes(*value)))
        found.inputs.push_back(arguments_in(*value));
    } else if (item.size() < line.size() && looks_like_arguments(without_quotes(item))) {
      found.inputs.push_back(arguments_in(item));
    }
  }
  return found;
}

// `count` of the inputs, each once as far as they go. Repeated ones fill up the shown half alone:
// what is hidden is never shown. Empty: they are too few.
std::vector<std::string> choose(std::vector<std::string> inputs, std::size_t count) {
  std::vector<std::string> different;
  for (const std::string& input : inputs) {
    if (std::ranges::find(different, input) == different.end()) different.push_back(input);
  }
  const std::size_t shown = count / 2;
  const std::size_t hidden = count - shown;
  if (different.size() >= count) {
    different.resize(count);
    return different;
  }
  if (inputs.size() < count || different.size() <= hidden) return {};
  const std::size_t first = different.size() - hidden;
  std::vector<std::string> chosen(different.begin(), different.begin() + std::ptrdiff_t(first));
  while (chosen.size() < shown) chosen.push_back(chosen[chosen.size() - first]);
  chosen.insert(chosen.end(), different.begin() + std::ptrdiff_t(first), different.end());
  return chosen;
}

// --- values -------------------------------------------------------------------------------------

// A value as a text states it: "f(3) = 'abc'", "**'abc'**", "Output: 7".
std::string_view stated_value(std::string_view text) {
  text = without_quotes(text);
  if (const auto value = labelled(text, kOutputLabels); value && !value->empty()) text = *value;
  text = without_quotes(text);
  const bool quoted = text.starts_with('`');
  if (const auto call = leading_call(quoted ? text.substr(1) : text, "f")) {
    std::string_view rest = trim(call->rest);
    if (quoted && rest.starts_with('`')) rest = trim(rest.substr(1));
    for (const std::string_view verb : {"==", "=", "->", "→", "returns", "is"}) {
      if (rest.starts_with(verb)) return without_quotes(rest.substr(verb.size()));
    }
  }
  // A full stop behind what ends in a bracket or a quote ends the sentence.
  if (text.size() > 1 && text.ends_with('.') &&
      std::string_view("])}'\"").find(text[text.size() - 2]) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

}  // namespace

tl::expected<ProgramAndInput, Reason> extract_program_and_input(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  const Block* const block = program_block(blocks, Choice::kLongest);
  std::string program = block != nullptr ? block->text : std::string();
  if (blocks.empty()) program = bare_program(answer);
  const std::string name(entry_of(program));
  if (name.empty()) return tl::make_unexpected(Reason::kNoProgram);
  ProgramAndInput found;
  found.imports = imports_of(blocks, block);
  found.input = input_from_blocks(blocks, block, name);
  if (found.input.empty()) {
    if (const auto call = trailing_call(program, name)) {
      found.input = call->arguments;
      program.resize(call->line_begin);
    }
  }
  if (found.input.empty()) found.input = labelled_input(answer, name);
  if (found.input.empty()) found.input = quoted_call(answer, name);
  found.program = with_entry(trim_lines(program), name);
  if (functions_of(found.program).empty()) return tl::make_unexpected(Reason::kNoProgram);
  if (found.input.empty()) return tl::make_unexpected(Reason::kNoInput);
  return found;
}

tl::expected<InputsAndMessage, Reason> extract_inputs_and_message(std::string_view answer,
                                                                  int count) {
  const std::vector<Block> blocks = blocks_of(answer);
  const auto wanted = static_cast<std::size_t>(count);
  InputsAndMessage found = read_blocks(blocks);
  const InputsAndMessage bare = read_bare(answer);
  if (found.inputs.size() < wanted && bare.inputs.size() > found.inputs.size())
    found.inputs = bare.inputs;
  if (found.message.empty()) found.message = bare.message;
  found.inputs = choose(std::move(found.inputs), wanted);
  if (found.inputs.empty()) return tl::make_unexpected(Reason::kTooFewInputs);
  if (found.message.empty()) return tl::make_unexpected(Reason::kNoMessage);
  return found;
}

tl::expected<ProgramText, Reason> extract_program(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  const Block* const block = program_block(blocks, Choice::kLast);
  std::string program = block != nullptr ? block->text : std::string();
  if (blocks.empty()) program = bare_program(answer);
  const std::string name(entry_of(program));
  if (name.empty()) return tl::make_unexpected(Reason::kNoProgram);
  return ProgramText{imports_of(blocks, block), with_entry(trim_lines(program), name)};
}

tl::expected<std::string, Reason> extract_value(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  const std::string_view text = stated_value(blocks.empty() ? answer : blocks.back().text);
  if (text.empty()) return tl::make_unexpected(Reason::kNoAnswer);
  return std::string(text);
}

tl::expected<std::string, Reason> extract_arguments(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  std::string text = arguments_in(blocks.empty() ? answer : blocks.back().text);
  if (text.empty()) return tl::make_unexpected(Reason::kNoInput);
  return text;
}

std::optional<std::string> unmarked_answer(TaskType type, std::string_view response) {
  if (type == TaskType::kInduction) return std::string(response);
  const bool input = type == TaskType::kAbduction;
  const BlockKind wanted = input ? BlockKind::kInput : BlockKind::kOutput;
  const std::vector<Block> blocks = blocks_of(response);
  const Block* found = nullptr;
  for (const Block& block : blocks) {
    if (block.kind == wanted) found = &block;
  }
  if (found != nullptr) return found->text;
  std::optional<std::string> stated;
  std::string_view rest = response;
  while (!rest.empty()) {
    const auto value =
        input ? labelled(take_line(rest), kInputLabels) : labelled(take_line(rest), kOutputLabels);
    if (value && !value->empty()) stated = std::string(*value);
  }
  if (stated) return stated;
  for (const Block& block : blocks) {
    const bool value = block.kind == BlockKind::kPlain || block.kind == BlockKind::kPython;
    if (value && functions_of(block.text).empty()) found = &block;
  }
  if (found != nullptr) return found->text;
  if (const auto boxed = extract_answer(response, MarkerStyle::kBoxed)) return std::string(*boxed);
  const std::vector<std::string_view> lines = split_lines(response);
  return lines.size() == 1 ? std::optional(std::string(lines[0])) : std::nullopt;
}

tl::expected<std::string, Reason> extract_exception(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  std::string_view text = trim(blocks.empty() ? answer : blocks.back().text);
  while (!text.empty() && !is_name_start(text[0])) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && (is_name_char(text[end]) || text[end] == '.')) ++end;
  text = text.substr(0, end);
  while (text.ends_with('.')) text.remove_suffix(1);
  if (const std::size_t dot = text.rfind('.'); dot != std::string_view::npos)
    text.remove_prefix(dot + 1);
  if (text.empty()) return tl::make_unexpected(Reason::kNoAnswer);
  return std::string(text);
}

}  // namespace redqueen::code_tasks
