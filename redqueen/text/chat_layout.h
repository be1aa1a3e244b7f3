// Conversations of many turns as the text of a chat template, each turn appended to the last: what
// a policy has read and written never changes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/core/episode.h"
#include "redqueen/text/chat_template.h"

namespace redqueen {

// The kind of messages between two turns of the assistant.
enum class ReplyKind {
  kUser,  // a user's or a system's message among them
  kTool,  // answers of tools alone
};

// A conversation is opening(), the assistant's turn as it was drawn, between(), the next turn as it
// was drawn, …. Immutable, thread-safe, cheap to copy.
class ChatLayout {
 public:
  // Renders probe conversations of several turns to see what the template puts between them.
  // `tools` and `options` are those of the whole conversation; options.values["tools"] and
  // options.add_generation_prompt are overwritten. Fails if the template refuses a user's question.
  static Expected<ChatLayout> make(const ChatTemplate& chat, std::span<const ToolSpec> tools,
                                   const ChatOptions& options = {});

  // The conversation up to where the assistant begins to write: of a first turn, or of any turn
  // that is computed anew.
  Expected<std::string> opening(std::span<const Message> messages) const;

  // From the end of an assistant's text to where it begins to write again: the template's mark of
  // the end of a turn, `observation`, and the opening of the next turn. Fails if the template does
  // not repeat an assistant's text word for word.
  Expected<std::string> between(std::span<const Message> observation) const;

  // The reason why the template would render earlier turns differently once messages of this kind
  // follow them (Qwen3 drops the thoughts before a user's question): a conversation that is
  // continued by between() is then not what the model was trained on, and a turn can be computed
  // anew from opening() instead. Empty: it would not; the text of between() is what the template
  // itself appends.
  const std::string& rewrites_history(ReplyKind reply = ReplyKind::kUser) const {
    return reply == ReplyKind::kUser ? rewrites_[0] : rewrites_[1];
  }

 private:
  ChatLayout(ChatTemplate chat, ChatOptions options)
      : chat_(std::move(chat)), options_(std::move(options)) {}
  // Checks that turns which answer with `text` and are followed by `reply` are only appended to.
  std::string find_rewrite(std::string_view text, const Message& reply) const;

  ChatTemplate chat_;
  ChatOptions options_;
  std::string rewrites_[2];  // by ReplyKind
};

// A single opening(), without the probes of ChatLayout::make().
Expected<std::string> lay_out(const ChatTemplate& chat, std::span<const Message> messages,
                              std::span<const ToolSpec> tools, const ChatOptions& options = {});

// The kind of these messages.
ReplyKind reply_kind(std::span<const Message> observation);

// A message as templates expect it: Hugging Face's form, calls below "function" with their
// arguments as an object.
Json template_message(const Message& message);
Json template_tool(const ToolSpec& tool);

}  // namespace redqueen
