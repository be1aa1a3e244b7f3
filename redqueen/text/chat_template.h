// Renders conversations as the text that a chat model was trained on, by the template in the
// model's folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/text/jinja/template.h"

namespace redqueen {

struct ChatOptions {
  bool add_generation_prompt = true;  // ends where the assistant's turn begins
  std::optional<bool>
      enable_thinking;         // for models that can be told not to think; others ignore it
  std::optional<std::tm> now;  // the date, for templates that write it
  // Further variables of a template: tools, documents, …; an object.
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
};

// The contents of the files that make up a chat template.
struct TemplateFiles {
  std::string_view tokenizer_config = "{}";
  std::optional<std::string_view> chat_template;       // chat_template.jinja
  std::optional<std::string_view> tool_template;       // additional_chat_templates/tool_use.jinja
  std::optional<std::string_view> special_tokens_map;  // special_tokens_map.json
};

// Immutable, thread-safe, cheap to copy.
class ChatTemplate {
 public:
  // `source`: a template in Jinja's language (template.h). `names`: what it finds under
  // names such as bos_token; an object.
  static Expected<ChatTemplate> parse(
      std::string_view source, nlohmann::ordered_json names = nlohmann::ordered_json::object());

  // Reads the template of a model's folder as transformers does: from the files of templates if
  // there is one, else from tokenizer_config.json. Of several templates the one called "default"
  // counts, and the one called "tool_use" for conversations with tools.
  static Expected<ChatTemplate> from_files(const TemplateFiles& files);

  // `messages`: a list of {"role", "content", …}.
  Expected<std::string> render(const nlohmann::ordered_json& messages,
                               const ChatOptions& options = {}) const;

  // One user message, and the opening of the assistant's turn.
  Expected<std::string> prompt(std::string_view user, const ChatOptions& options = {}) const;

  const std::string& source() const { return source_; }

 private:
  ChatTemplate(jinja::Template compiled, std::string source, nlohmann::ordered_json names)
      : template_(std::move(compiled)), source_(std::move(source)), names_(std::move(names)) {}

  jinja::Template template_;
  std::optional<jinja::Template> for_tools_;  // instead, for conversations with tools
  std::string source_;
  nlohmann::ordered_json names_;
};

}  // namespace redqueen
