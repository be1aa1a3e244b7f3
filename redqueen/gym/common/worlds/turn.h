// One turn of the assistant in a world: its calls, or its text read as lines of commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/answer.h"
#include "redqueen/core/episode.h"
#include "redqueen/core/tool.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {

// The commands of a text: the lines that begin with ">", without it, so that thoughts may stand
// beside them; all lines where none does.
inline std::vector<std::string_view> command_lines(std::string_view text) {
  std::vector<std::string_view> lines = split_lines(text);
  std::vector<std::string_view> marked;
  for (const std::string_view line : lines) {
    if (line.starts_with('>')) marked.push_back(trim(line.substr(1)));
  }
  return marked.empty() ? lines : marked;
}

// The replies to a turn: of calls one each, or else of all lines one together. `line(text)` and
// `call(call)` give the reply to one of them; the text of a turn without either is the line "".
// Once over() holds, nothing more is played.
template <typename Line, typename Call, typename Over>
std::vector<Message> play_turn(const Action& action, Line line, Call call, Over over) {
  std::vector<Message> replies;
  for (const ToolCall& made : action.tool_calls) {
    replies.push_back(tool_message(made, over() ? std::string("The task is over.") : call(made)));
  }
  if (!replies.empty()) return replies;
  std::vector<std::string_view> lines = command_lines(action.text);
  if (lines.empty()) lines.emplace_back();
  std::string text;
  for (const std::string_view each : lines) {
    if (over()) break;
    if (!text.empty()) text += '\n';
    if (lines.size() > 1) text += fmt::format("> {}\n", quotable(each));
    text += line(each);
  }
  return {{.role = "user", .content = std::move(text)}};
}

}  // namespace redqueen
