#include "redqueen/code_tasks/extraction.h"

#include <algorithm>
#include <optional>

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

// --- blocks -------------------------------------------------------------------------------------

enum class BlockKind { kPython, kInput, kOutput, kMessage, kPlain, kOther };

struct Block {
  BlockKind kind = BlockKind::kPlain;
  std::string_view text;
};

BlockKind kind_of(std::string_view info) {
  std::string word;
  for (const char c : info.substr(0, std::min<std::size_t>(info.size(), 16))) {
    if (!is_name_start(c)) break;
    word += c;
  }
  word = lower(word);
  if (word.empty()) return BlockKind::kPlain;
  if (one_of(word, {"python", "py"})) return BlockKind::kPython;
  if (one_of(word, {"input", "inputs", "args", "arguments"})) return BlockKind::kInput;
  if (one_of(word, {"output", "result", "answer"})) return BlockKind::kOutput;
  if (one_of(word, {"message", "msg", "hint"})) return BlockKind::kMessage;
  return BlockKind::kOther;
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

// Fenced blocks in their order. The last one may lack its closing fence.
std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  std::optional<Block> open;
  std::size_t begin = 0;
  std::string_view rest = text;
  const auto close = [&](std::size_t end) {
    open->text = text.substr(begin, end - begin);
    blocks.push_back(*open);
    open.reset();
  };
  while (!rest.empty()) {
    const auto line_begin = static_cast<std::size_t>(rest.data() - text.data());
    const auto info = fence_info(take_line(rest));
    if (!info) continue;
    const bool closes = open.has_value() && info->empty();
    if (open) close(line_begin);
    if (closes) continue;
    open = Block{kind_of(*info), {}};  // with a language inside a block: that one was never closed
    begin = static_cast<std::size_t>(rest.data() - text.data());
  }
  if (open) close(text.size());
  return blocks;
}

// --- programs -----------------------------------------------------------------------------------

// "def f(" at the beginning of a line, whatever the space in it.
bool defines_f(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with("def")) continue;
    line.remove_prefix(3);
    if (line.empty() || !is_space(line[0])) continue;
    line = trim(line);
    if (line.starts_with('f') && trim(line.substr(1)).starts_with('(')) return true;
  }
  return false;
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

// The longest block that defines f, the last of equally long ones.
const Block* program_block(const std::vector<Block>& blocks) {
  const Block* best = nullptr;
  for (const Block& block : blocks) {
    const bool code = block.kind == BlockKind::kPython || block.kind == BlockKind::kPlain;
    if (!code || !defines_f(block.text)) continue;
    if (best == nullptr || block.text.size() >= best->text.size()) best = &block;
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

// --- argument lists -----------------------------------------------------------------------------

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

// A call of f with which a text begins, after what people write before one.
struct CallText {
  std::string_view arguments;
  std::string_view rest;  // behind the call
};
std::optional<CallText> leading_call(std::string_view text) {
  text = trim(text);
  for (const std::string_view lead : {">>>", "print(", "assert "}) {
    if (text.starts_with(lead)) text = trim(text.substr(lead.size()));
  }
  if (!text.starts_with('f')) return std::nullopt;
  const std::size_t open = text.find_first_not_of(" \t", 1);
  if (open == std::string_view::npos || text[open] != '(') return std::nullopt;
  const std::size_t close = closing_bracket(text, open);
  if (close == std::string_view::npos) return std::nullopt;
  return CallText{trim(text.substr(open + 1, close - open - 1)), text.substr(close + 1)};
}

// `text` without a label such as "Input:" or "input =".
std::string_view without_label(std::string_view text,
                               std::initializer_list<std::string_view> labels) {
  text = trim(text);
  for (const std::string_view label : labels) {
    if (text.size() <= label.size() || lower(text.substr(0, label.size())) != label) continue;
    const std::string_view rest = trim(text.substr(label.size()));
    if (rest.starts_with(':') || (rest.starts_with('=') && !rest.starts_with("==")))
      return trim(rest.substr(1));
  }
  return text;
}

std::string_view without_backquotes(std::string_view text) {
  text = trim(text);
  while (text.size() >= 2 && text.front() == '`' && text.back() == '`')
    text = trim(text.substr(1, text.size() - 2));
  return text;
}

// "x = 3" with a name on the left: one argument a line, as models like to write them.
bool is_assignment(std::string_view line) {
  std::size_t i = 0;
  if (line.empty() || !is_name_start(line[0])) return false;
  while (i < line.size() && is_name_char(line[i])) ++i;
  const std::string_view rest = trim(line.substr(i));
  return rest.starts_with('=') && !rest.starts_with("==");
}

// An argument list out of what stands where one was asked for; empty: nothing.
std::string arguments_in(std::string_view text) {
  text = without_label(without_backquotes(text), {"input", "inputs", "arguments", "args"});
  text = without_backquotes(text);
  if (const auto call = leading_call(text); call && trim(call->rest).empty())
    text = call->arguments;
  const std::vector<std::string_view> lines = split_lines(text);
  if (lines.size() > 1 && std::ranges::all_of(lines, is_assignment)) {
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

// An "input: …" line outside of blocks.
std::string labelled_input(std::string_view text) {
  std::string found;
  bool fenced = false;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (fence_info(line)) fenced = !fenced;
    if (fenced) continue;
    const std::string_view bare = trim(line);
    const std::string_view value = without_label(bare, {"input", "inputs", "arguments", "args"});
    if (value.size() < bare.size() && !value.empty()) found = arguments_in(value);
  }
  return found;
}

// The last line of a program at which a call of f stands by itself.
struct TrailingCall {
  std::size_t line_begin;
  std::string arguments;
};
std::optional<TrailingCall> trailing_call(std::string_view program) {
  std::optional<TrailingCall> found;
  std::string_view rest = program;
  while (!rest.empty()) {
    const auto begin = static_cast<std::size_t>(rest.data() - program.data());
    const std::string_view line = take_line(rest);
    if (line.empty() || (!is_name_start(line[0]) && line[0] != '>')) continue;
    if (!line.starts_with("f") && !line.starts_with("print") && !line.starts_with(">>>") &&
        !line.starts_with("assert"))
      continue;
    // A call may go on over several lines, but not far.
    constexpr std::size_t kLongestCall = 1 << 14;
    if (const auto call = leading_call(program.substr(begin, kLongestCall)))
      found = TrailingCall{begin, std::string(call->arguments)};
  }
  return found;
}

std::string input_from_blocks(const std::vector<Block>& blocks, const Block* program) {
  std::string marked;
  std::string plain;
  for (const Block& block : blocks) {
    if (&block == program || only_imports(block.text)) continue;
    if (block.kind == BlockKind::kInput) marked = arguments_in(block.text);
    if (block.kind == BlockKind::kPlain || block.kind == BlockKind::kPython)
      plain = arguments_in(block.text);
  }
  return marked.empty() ? plain : marked;
}

// All calls of f that begin a line, or nothing if another line is no comment.
std::vector<std::string> calls_a_line(std::string_view text) {
  std::vector<std::string> inputs;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with('#')) continue;
    const auto call = leading_call(line);
    if (!call) return {};
    inputs.emplace_back(call->arguments);
  }
  return inputs;
}

void add_different(std::vector<std::string>& inputs, std::string input) {
  if (!input.empty() && std::ranges::find(inputs, input) == inputs.end())
    inputs.push_back(std::move(input));
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

InputsAndMessage read_blocks(const std::vector<Block>& blocks) {
  InputsAndMessage found;
  for (const Block& block : blocks) {
    if (block.kind == BlockKind::kMessage) {
      found.message = std::string(trim(block.text));
    } else if (block.kind == BlockKind::kInput || block.kind == BlockKind::kPlain) {
      const std::vector<std::string> calls = calls_a_line(block.text);
      for (const std::string& input : calls) add_different(found.inputs, input);
      if (calls.empty()) add_different(found.inputs, arguments_in(block.text));
    }
  }
  return found;
}

InputsAndMessage read_bare(std::string_view text) {
  InputsAndMessage found{.inputs = {}, .message = comments_of(text)};
  for (const std::string_view line : split_lines(text)) {
    if (const auto call = leading_call(line))
      add_different(found.inputs, std::string(call->arguments));
    const std::string_view message = without_label(line, {"message", "hint"});
    if (found.message.empty() && message.size() < line.size()) found.message = message;
  }
  return found;
}

}  // namespace

tl::expected<ProgramAndInput, Reason> extract_program_and_input(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  const Block* const block = program_block(blocks);
  if (block == nullptr && !(blocks.empty() && defines_f(answer)))
    return tl::make_unexpected(Reason::kNoProgram);
  ProgramAndInput found;
  found.imports = imports_of(blocks, block);
  found.input = input_from_blocks(blocks, block);
  if (found.input.empty() && block != nullptr) found.input = labelled_input(answer);
  std::string_view program = block == nullptr ? answer : block->text;
  if (found.input.empty()) {
    const auto call = trailing_call(program);
    if (!call) return tl::make_unexpected(Reason::kNoInput);
    found.input = call->arguments;
    program = program.substr(0, call->line_begin);
  }
  found.program = std::string(trim_lines(program));
  if (!defines_f(found.program)) return tl::make_unexpected(Reason::kNoProgram);
  if (found.input.empty()) return tl::make_unexpected(Reason::kNoInput);
  return found;
}

tl::expected<InputsAndMessage, Reason> extract_inputs_and_message(std::string_view answer,
                                                                  int count) {
  const std::vector<Block> blocks = blocks_of(answer);
  InputsAndMessage found = blocks.empty() ? read_bare(answer) : read_blocks(blocks);
  if (found.message.empty() && !blocks.empty()) found.message = read_bare(answer).message;
  if (found.inputs.size() < static_cast<std::size_t>(count))
    return tl::make_unexpected(Reason::kTooFewInputs);
  found.inputs.resize(count);
  if (found.message.empty()) return tl::make_unexpected(Reason::kNoMessage);
  return found;
}

tl::expected<ProgramText, Reason> extract_program(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  const Block* const block = program_block(blocks);
  if (block == nullptr && !(blocks.empty() && defines_f(answer)))
    return tl::make_unexpected(Reason::kNoProgram);
  return ProgramText{imports_of(blocks, block),
                     std::string(trim_lines(block == nullptr ? answer : block->text))};
}

tl::expected<std::string, Reason> extract_value(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  std::string_view text = blocks.empty() ? answer : blocks.back().text;
  text = without_label(without_backquotes(text), {"output", "answer", "result"});
  text = without_backquotes(text);
  if (text.empty()) return tl::make_unexpected(Reason::kNoAnswer);
  return std::string(text);
}

tl::expected<std::string, Reason> extract_arguments(std::string_view answer) {
  const std::vector<Block> blocks = blocks_of(answer);
  std::string text = arguments_in(blocks.empty() ? answer : blocks.back().text);
  if (text.empty()) return tl::make_unexpected(Reason::kNoInput);
  return text;
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
