#include "redqueen/text/chat_layout.h"

#include <algorithm>
#include <vector>

namespace redqueen {
namespace {

constexpr std::string_view kQuestion = "Which way?";

Message user(std::string_view text) { return {.role = "user", .content = std::string(text)}; }
Message assistant(std::string_view text) {
  return {.role = "assistant", .content = std::string(text)};
}

Json template_messages(std::span<const Message> messages) {
  Json list = Json::array();
  for (const Message& message : messages) list.push_back(template_message(message));
  return list;
}

ChatOptions offering(std::span<const ToolSpec> tools, ChatOptions options) {
  options.add_generation_prompt = true;
  options.values.erase("tools");
  for (const ToolSpec& tool : tools) options.values["tools"].push_back(template_tool(tool));
  return options;
}

// A word that the messages do not hold.
std::string fresh_word(std::span<const Message> messages) {
  std::string word = "Northwards";
  const auto held = [&](const Message& message) {
    return message.content.find(word) != std::string::npos;
  };
  while (std::ranges::any_of(messages, held)) word += "x";
  return word;
}

// The first place where two texts differ, with a little of both.
std::string difference(std::string_view ours, std::string_view theirs) {
  constexpr std::size_t kShown = 40;
  const auto [a, b] = std::ranges::mismatch(ours, theirs);
  const auto shown = [](std::string_view text) {
    return dump_json(Json(std::string(text.substr(0, kShown))));
  };
  return fmt::format("{} where the conversation has {}",
                     shown({b, static_cast<std::size_t>(theirs.end() - b)}),
                     shown({a, static_cast<std::size_t>(ours.end() - a)}));
}

}  // namespace

Json template_message(const Message& message) {
  Json json{{"role", message.role}, {"content", message.content}};
  if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
  if (message.tool_calls.empty()) return json;
  json["tool_calls"] = Json::array();
  for (const ToolCall& call : message.tool_calls) {
    json["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return json;
}

Json template_tool(const ToolSpec& tool) {
  return {
      {"type", "function"},
      {"function",
       {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}}}};
}

Expected<std::string> lay_out(const ChatTemplate& chat, std::span<const Message> messages,
                              std::span<const ToolSpec> tools, const ChatOptions& options) {
  return chat.render(template_messages(messages), offering(tools, options));
}

ReplyKind reply_kind(std::span<const Message> observation) {
  const auto is_tool = [](const Message& message) { return message.role == "tool"; };
  return !observation.empty() && std::ranges::all_of(observation, is_tool) ? ReplyKind::kTool
                                                                           : ReplyKind::kUser;
}

Expected<ChatLayout> ChatLayout::make(const ChatTemplate& chat, std::span<const ToolSpec> tools,
                                      const ChatOptions& options) {
  ChatLayout layout(chat, offering(tools, options));
  const Message question = user(kQuestion);
  RETURN_IF_ERROR(layout.opening({&question, 1}));
  const Message replies[] = {question, {.role = "tool", .content = "42"}};
  for (std::size_t kind = 0; kind < 2; ++kind) {
    for (const std::string_view text : {"Left.", "<think>\nA wall?\n</think>\n\nLeft."}) {
      std::string& why = layout.rewrites_[kind];
      if (why.empty()) why = layout.find_rewrite(text, replies[kind]);
    }
  }
  return layout;
}

Expected<std::string> ChatLayout::opening(std::span<const Message> messages) const {
  return chat_.render(template_messages(messages), options_);
}

Expected<std::string> ChatLayout::between(std::span<const Message> observation) const {
  const std::string word = fresh_word(observation);
  std::vector<Message> messages{user(kQuestion), assistant(word)};
  messages.insert(messages.end(), observation.begin(), observation.end());
  ASSIGN_OR_RETURN(std::string text, opening(messages));
  const std::size_t found = text.find(word);
  if (found == std::string::npos || text.find(word, found + 1) != std::string::npos) {
    return failure(
        "the chat template does not put the assistant's text into the conversation once, word for "
        "word, so turns cannot be appended to one another");
  }
  return text.substr(found + word.size());
}

std::string ChatLayout::find_rewrite(std::string_view text, const Message& reply) const {
  constexpr int kTurns = 5;
  std::vector<Message> messages{user(kQuestion)};
  auto ours = opening(messages);
  const auto next = between({&reply, 1});
  if (!next) return next.error().message;
  for (int turn = 0; turn < kTurns; ++turn) {
    // A model whose turn was opened with a thought writes the rest of it.
    std::string_view said = text;
    if (ours->ends_with("<think>\n") && said.starts_with("<think>\n")) said.remove_prefix(8);
    *ours += std::string(said) + *next;
    messages.push_back(assistant(text));
    messages.push_back(reply);
    const auto theirs = opening(messages);
    if (!theirs) return theirs.error().message;
    if (*theirs != *ours) {
      return fmt::format("after turn {} the chat template renders {}", turn + 1,
                         difference(*ours, *theirs));
    }
  }
  return {};
}

}  // namespace redqueen
