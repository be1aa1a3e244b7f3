// Tool calls as language models write them into their turns.
#pragma once

#include <span>
#include <string_view>

#include "redqueen/core/episode.h"

namespace redqueen {

// Reads an assistant's turn: the calls that stand in it, and the text without them. Known forms:
//
//   <tool_call>{"name": …, "arguments": {…}}</tool_call>   Hermes, Qwen; any number, text around
//                                                          them; the last one may lack its end,
//                                                          where generation stopped
//   <function=name>{…}</function>                          Llama 3.1 for tools of one's own;
//                                                          likewise
//   <|python_tag|>…  [TOOL_CALLS]…                         Llama 3, Mistral: one of the forms
//                                                          below, behind a mark, up to the turn's
//                                                          end
//   {"tool_calls": [{"function": {…}}, …]}                 a message of OpenAI's protocol; its
//                                                          "content" is the text
//   {"name": …, "parameters": {…}}                         Llama 3; several apart by ";", "," or
//                                                          white space, or in a JSON list
//   [name(key="x", other=3), …]                            Llama 3.2: Python's syntax, arguments by
//                                                          name, literals; without the brackets one
//                                                          call, or one a line
//
// "arguments" and "parameters" mean the same and may be a JSON text of an object; what stands below
// "function" counts like what stands beside it. Between <tool_call> and its end, Python's way to
// write an object is read as well ('single quotes', True, None, a last comma). The forms without a
// mark count only if they are the whole turn, or all of it within one fence of backticks, and every
// name is one of `tools` (name.call(…) calls name): they could be an answer otherwise. Nothing
// counts that stands in a thought, up to the last </think>, or in one that was not ended. A
// malformed call stays text. Without tools everything is text.
//
// Calls without an id are numbered: "call_0", "call_1", …. Never throws; time grows linearly with
// the text.
Action parse_action(std::string_view text, std::span<const ToolSpec> tools);

}  // namespace redqueen
