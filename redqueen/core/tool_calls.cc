#include "redqueen/core/tool_calls.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace redqueen {
namespace {

constexpr int kMaxDepth = 64;           // of nested arguments
constexpr std::size_t kMaxKeys = 1024;  // of one call: a Json looks keys up one by one
constexpr std::string_view kSpaces = " \t\r\n";

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool is_tool(std::string_view name, std::span<const ToolSpec> tools) {
  return std::ranges::any_of(tools, [&](const ToolSpec& tool) { return tool.name == name; });
}

// The end of the JSON object or list that begins at text[0]; npos if it does not end, or is deeper
// or larger than a call may be.
std::size_t json_end(std::string_view text) {
  int depth = 0;
  std::size_t keys = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == ':') {
      if (++keys > kMaxKeys) return std::string_view::npos;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return std::string_view::npos;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::optional<Json> json_value(std::string_view text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[') || json_end(text) != text.size())
    return std::nullopt;
  auto json = parse_json(text);
  if (!json) return std::nullopt;
  return std::move(*json);
}

// Reads Python's syntax: calls, name(key=literal, …), and literals of JSON's kinds.
class PythonReader {
 public:
  explicit PythonReader(std::string_view text) : rest_(text) {}

  // Calls in a list, or one a line; the whole text, or nothing.
  std::optional<std::vector<ToolCall>> read_calls() {
    std::vector<ToolCall> calls;
    const bool listed = accept('[');
    do {
      auto call = read_call();
      if (!call) return std::nullopt;
      calls.push_back(std::move(*call));
    } while (listed ? accept(',') && !next_is(']') : accept_line_end());
    if ((listed && !accept(']')) || !at_end()) return std::nullopt;
    return calls;
  }

  // One literal; the whole text, or nothing.
  std::optional<Json> read_literal() {
    auto value = read_value(0);
    if (!value || !at_end()) return std::nullopt;
    return value;
  }

 private:
  bool at_end() {
    skip_space();
    return rest_.empty();
  }
  // The end of a line, or a semicolon, with more behind it.
  bool accept_line_end() {
    const std::size_t end = rest_.find_first_not_of(" \t\r");
    if (end == std::string_view::npos || (rest_[end] != '\n' && rest_[end] != ';')) return false;
    rest_.remove_prefix(end + 1);
    return !at_end();
  }
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(kSpaces)));
  }
  bool next_is(char c) {
    skip_space();
    return !rest_.empty() && rest_[0] == c;
  }
  bool accept(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // A name; with_dots: of a function, which may lie in a module.
  std::string read_name(bool with_dots) {
    skip_space();
    const auto belongs = [&](char c) {
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             (c >= '0' && c <= '9') || (with_dots && (c == '.' || c == '-'));
    };
    std::size_t end = 0;
    while (end < rest_.size() && belongs(rest_[end])) ++end;
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }

  std::optional<ToolCall> read_call() {
    ToolCall call{.id = {}, .name = read_name(true)};
    if (call.name.empty() || !accept('(')) return std::nullopt;
    while (!accept(')')) {
      const std::string key = read_name(false);
      if (key.empty() || !accept('=')) return std::nullopt;
      if (!read_entry(call.arguments, key, 0) || (!accept(',') && !next_is(')')))
        return std::nullopt;
    }
    return call;
  }

  std::optional<Json> read_value(int depth) {
    skip_space();
    if (rest_.empty() || depth > kMaxDepth) return std::nullopt;
    switch (rest_[0]) {
      case '"':
      case '\'':
        return read_text();
      case '[':
        return read_list('[', ']', depth);
      case '(':
        return read_list('(', ')', depth);
      case '{':
        return read_dict(depth);
      default:
        return read_word();
    }
  }

  std::optional<Json> read_list(char open, char close, int depth) {
    Json list = Json::array();
    accept(open);
    while (!accept(close)) {
      auto value = read_value(depth + 1);
      if (!value) return std::nullopt;
      list.push_back(std::move(*value));
      if (!accept(',') && !next_is(close)) return std::nullopt;
    }
    return list;
  }

  std::optional<Json> read_dict(int depth) {
    Json dict = Json::object();
    accept('{');
    while (!accept('}')) {
      const auto key = read_value(depth + 1);
      if (!key || !key->is_string() || !accept(':')) return std::nullopt;
      if (!read_entry(dict, *key, depth + 1) || (!accept(',') && !next_is('}')))
        return std::nullopt;
    }
    return dict;
  }

  // Reads the value of a new key.
  bool read_entry(Json& object, const std::string& key, int depth) {
    auto value = read_value(depth);
    if (!value || ++keys_ > kMaxKeys || object.contains(key)) return false;
    object[key] = std::move(*value);
    return true;
  }

  // A quoted text with Python's common escapes; others stay as they are written.
  std::optional<Json> read_text() {
    const char quote = rest_[0];
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      char c = rest_[i];
      if (c == quote) {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (c == '\n') return std::nullopt;
      if (c == '\\') {
        if (const std::size_t size = read_code_point(rest_.substr(i), text); size > 0) {
          i += size - 1;
          continue;
        }
      }
      if (c == '\\' && i + 1 < rest_.size()) {
        constexpr std::string_view kEscapes = "n\nt\tr\r\\\\'\'\"\"";
        const std::size_t known = escape_of(kEscapes, rest_[i + 1]);
        if (known != std::string_view::npos) {
          c = kEscapes[known + 1];
          ++i;
        }
      }
      text += c;
    }
    return std::nullopt;
  }

  // Appends what \uXXXX stands for, or two of them that are one character; returns the bytes read.
  static std::size_t read_code_point(std::string_view text, std::string& out) {
    constexpr std::size_t kSize = 6;
    for (const std::size_t size : {kSize, 2 * kSize}) {
      if (!text.starts_with("\\u") || text.size() < size) return 0;
      const auto read = parse_json(fmt::format("\"{}\"", text.substr(0, size)));
      if (!read || !read->is_string()) continue;
      out += read->get_ref<const std::string&>();
      return size;
    }
    return 0;
  }

  static std::size_t escape_of(std::string_view pairs, char c) {
    for (std::size_t k = 0; k < pairs.size(); k += 2) {
      if (pairs[k] == c) return k;
    }
    return std::string_view::npos;
  }

  // A number, True, False, None, or the words that JSON has for them.
  std::optional<Json> read_word() {
    const std::size_t end = std::min(rest_.size(), rest_.find_first_of(",)]}:= \t\r\n"));
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (word == "True" || word == "true") return Json(true);
    if (word == "False" || word == "false") return Json(false);
    if (word == "None" || word == "null") return Json(nullptr);
    auto number = parse_json(word);
    std::string_view digits;
    if (!number || !(number->is_number() || is_big_int(*number, digits))) return std::nullopt;
    return std::move(*number);
  }

  std::string_view rest_;
  std::size_t keys_ = 0;
};

// Arguments that are an object, or the text of one.
std::optional<Json> arguments_of(const Json& call) {
  auto found = call.find("arguments");
  if (found == call.end()) found = call.find("parameters");
  if (found == call.end() || found->is_null()) return Json::object();
  if (found->is_object()) return *found;
  if (!found->is_string()) return std::nullopt;
  auto inner = json_value(without_spaces(found->get_ref<const std::string&>()));
  if (!inner || !inner->is_object()) return std::nullopt;
  return inner;
}

// A call as JSON: {"name", "arguments"} or {"function": {"name", "arguments"}}, with an "id"
// perhaps.
std::optional<ToolCall> call_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  ToolCall call;
  if (const auto id = json.find("id"); id != json.end() && id->is_string()) call.id = *id;
  const auto inner = json.find("function");
  const Json& function = inner != json.end() && inner->is_object() ? *inner : json;
  const auto name = function.find("name");
  if (name == function.end() || !name->is_string()) return std::nullopt;
  call.name = *name;
  auto arguments = arguments_of(function);
  if (call.name.empty() || !arguments) return std::nullopt;
  call.arguments = std::move(*arguments);
  return call;
}

// Between <tool_call> and </tool_call>.
std::optional<ToolCall> call_of_block(std::string_view text) {
  auto json = json_value(without_spaces(text));
  if (!json) json = PythonReader(text).read_literal();
  return json ? call_of(*json) : std::nullopt;
}

// Between <function= and </function>: a name, >, and its arguments.
std::optional<ToolCall> call_of_function(std::string_view text) {
  const std::size_t end = text.find('>');
  if (end == std::string_view::npos) return std::nullopt;
  ToolCall call{.id = {}, .name = std::string(without_spaces(text.substr(0, end)))};
  auto arguments = json_value(without_spaces(text.substr(end + 1)));
  if (call.name.empty() || !arguments || !arguments->is_object()) return std::nullopt;
  call.arguments = std::move(*arguments);
  return call;
}

// A form whose calls stand between marks.
struct MarkedForm {
  std::string_view open, close;
  std::optional<ToolCall> (*read)(std::string_view text);
};
constexpr MarkedForm kMarkedForms[] = {{"<tool_call>", "</tool_call>", call_of_block},
                                       {"<function=", "</function>", call_of_function}};

// Moves the calls of a form from `text` to `calls`. A call begins at the last opening before its
// end, so that every byte is read once.
std::string take_marked(std::string_view text, const MarkedForm& form,
                        std::vector<ToolCall>& calls) {
  std::string rest;
  std::size_t done = 0;
  for (std::size_t close = text.find(form.close); close != std::string_view::npos;
       close = text.find(form.close, close + form.close.size())) {
    const std::string_view before = text.substr(done, close - done);
    const std::size_t open = before.rfind(form.open);
    const std::size_t end = close + form.close.size();
    std::optional<ToolCall> call;
    if (open != std::string_view::npos) call = form.read(before.substr(open + form.open.size()));
    if (call) {
      rest += before.substr(0, open);
      calls.push_back(std::move(*call));
    } else {
      rest += text.substr(done, end - done);
    }
    done = end;
  }
  return rest.append(text.substr(done));
}

// As take_marked, of a last call whose end was never written.
void take_unclosed(std::string& text, const MarkedForm& form, std::vector<ToolCall>& calls) {
  const std::size_t open = text.rfind(form.open);
  if (open == std::string::npos) return;
  auto call = form.read(std::string_view(text).substr(open + form.open.size()));
  if (!call) return;
  calls.push_back(std::move(*call));
  text.resize(open);
}

// Calls as JSON values one after the other, or in a list; all of them, or nothing.
std::optional<std::vector<ToolCall>> bare_json_calls(std::string_view text) {
  std::vector<ToolCall> calls;
  while (!text.empty()) {
    if (text[0] != '{' && text[0] != '[') return std::nullopt;
    const std::size_t end = json_end(text);
    if (end == std::string_view::npos) return std::nullopt;
    const auto json = json_value(text.substr(0, end));
    if (!json) return std::nullopt;
    for (const Json& item : json->is_array() ? *json : Json::array({*json})) {
      auto call = call_of(item);
      if (!call) return std::nullopt;
      calls.push_back(std::move(*call));
    }
    text = without_spaces(text.substr(end));
    if (!text.empty() && (text[0] == ';' || text[0] == ',')) text = without_spaces(text.substr(1));
  }
  return calls;
}

// Returns the content of one fence of backticks, if that is all of `text`; else `text`.
std::string_view without_fence(std::string_view text) {
  constexpr std::string_view kFence = "```";
  if (!text.starts_with(kFence) || !text.ends_with(kFence)) return text;
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos || text.find(kFence, line) != text.size() - kFence.size())
    return text;
  return without_spaces(text.substr(line, text.size() - kFence.size() - line));
}

// Calls without an end of their own, and the text beside them.
struct BareCalls {
  std::string text;
  std::vector<ToolCall> calls;
};

// A message of OpenAI's protocol.
std::optional<BareCalls> message_calls(std::string_view text) {
  if (!text.starts_with('{')) return std::nullopt;
  const auto json = json_value(text);
  if (!json) return std::nullopt;
  const auto listed = json->find("tool_calls");
  if (listed == json->end() || !listed->is_array() || listed->empty()) return std::nullopt;
  BareCalls found;
  for (const Json& item : *listed) {
    auto call = call_of(item);
    if (!call) return std::nullopt;
    found.calls.push_back(std::move(*call));
  }
  if (const auto said = json->find("content"); said != json->end() && said->is_string())
    found.text = *said;
  return found;
}

// Calls that are the whole of `text`.
std::optional<BareCalls> bare_calls(std::string_view text) {
  text = without_fence(without_spaces(text));
  if (text.empty()) return std::nullopt;
  if (auto message = message_calls(text)) return message;
  auto calls = bare_json_calls(text);
  if (!calls) calls = PythonReader(text).read_calls();
  if (!calls) return std::nullopt;
  return BareCalls{{}, std::move(*calls)};
}

// Whether a tool of this name is offered; Llama 3 writes name.call(…).
bool known(ToolCall& call, std::span<const ToolSpec> tools) {
  constexpr std::string_view kMethod = ".call";
  if (is_tool(call.name, tools)) return true;
  if (!call.name.ends_with(kMethod)) return false;
  const std::string name = call.name.substr(0, call.name.size() - kMethod.size());
  if (!is_tool(name, tools)) return false;
  call.name = name;
  return true;
}

// Takes the calls behind the first mark that says that there are some.
bool take_behind_mark(std::string& text, std::span<const ToolSpec> tools,
                      std::vector<ToolCall>& calls) {
  for (const std::string_view mark : {"<|python_tag|>", "[TOOL_CALLS]"}) {
    const std::size_t open = text.find(mark);
    if (open == std::string::npos) continue;
    auto found = bare_calls(std::string_view(text).substr(open + mark.size()));
    if (!found) continue;
    for (ToolCall& call : found->calls) known(call, tools);
    calls = std::move(found->calls);
    text.resize(open);
    return true;
  }
  return false;
}

// Takes calls that are the whole of a turn.
void take_bare(std::string& text, std::span<const ToolSpec> tools, std::vector<ToolCall>& calls) {
  auto found = bare_calls(text);
  if (!found) return;
  if (!std::ranges::all_of(found->calls, [&](ToolCall& call) { return known(call, tools); }))
    return;
  calls = std::move(found->calls);
  text = std::move(found->text);
}

// Takes the marks away with which models end their turns.
void drop_end_marks(std::string& text) {
  constexpr std::string_view kMarks[] = {"<|eom_id|>", "<|eot_id|>", "<|im_end|>"};
  std::string_view rest = text;
  const std::string_view* mark = nullptr;
  do {
    rest = rest.substr(0, rest.find_last_not_of(kSpaces) + 1);
    mark = std::ranges::find_if(kMarks, [&](std::string_view m) { return rest.ends_with(m); });
    if (mark != std::end(kMarks)) rest.remove_suffix(mark->size());
  } while (mark != std::end(kMarks));
  text.resize(rest.size());
}

// Where the turn begins after its thought; the whole size if the thought has no end.
std::size_t end_of_thought(std::string_view text) {
  constexpr std::string_view kEnd = "</think>", kBegin = "<think>";
  const std::size_t end = text.rfind(kEnd);
  const std::size_t begin = end == std::string_view::npos ? 0 : end + kEnd.size();
  return text.find(kBegin, begin) == std::string_view::npos ? begin : text.size();
}

}  // namespace

Action parse_action(std::string_view text, std::span<const ToolSpec> tools) {
  Action action{.text = std::string(text)};
  if (tools.empty()) return action;
  const std::size_t begin = end_of_thought(text);
  std::string said(text.substr(begin));
  drop_end_marks(said);
  std::vector<ToolCall>& calls = action.tool_calls;
  for (const MarkedForm& form : kMarkedForms) {
    said = take_marked(said, form, calls);
    take_unclosed(said, form, calls);
  }
  if (calls.empty() && !take_behind_mark(said, tools, calls)) take_bare(said, tools, calls);
  if (calls.empty()) return action;
  said.erase(said.find_last_not_of(kSpaces) + 1);
  action.text = std::string(text.substr(0, begin)) + said;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].id.empty()) calls[i].id = fmt::format("call_{}", i);
  }
  return action;
}

}  // namespace redqueen
