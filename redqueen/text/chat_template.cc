#include "redqueen/text/chat_template.h"

namespace redqueen {
namespace {

using Json = nlohmann::ordered_json;

// A special token is written as its text or as an object around it.
std::optional<std::string> token_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object() && json.contains("content") && json["content"].is_string()) {
    return json["content"].get<std::string>();
  }
  return std::nullopt;
}

Json special_tokens(const Json& config) {
  Json names = Json::object();
  for (const auto& [key, value] : config.items()) {
    if (!key.ends_with("_token")) continue;
    if (const auto text = token_text(value)) names[key] = *text;
  }
  return names;
}

std::optional<std::string> template_of(const Json& config) {
  const auto found = config.find("chat_template");
  if (found == config.end()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_array()) return std::nullopt;
  for (const Json& entry : *found) {
    if (entry.is_object() && entry.value("name", Json()) == "default" &&
        entry.value("template", Json()).is_string()) {
      return entry["template"].get<std::string>();
    }
  }
  return std::nullopt;
}

// A message's thought under the names that templates read, whichever of three it came under; as
// transformers has it.
Json with_reasoning(const Json& messages) {
  if (!messages.is_array()) return messages;
  Json result = Json::array();
  for (const Json& message : messages) {
    result.push_back(message);
    if (!message.is_object()) continue;
    for (const char* key : {"reasoning_content", "thinking", "reasoning"}) {
      const auto found = message.find(key);
      if (found == message.end() || found->is_null()) continue;
      const Json reasoning = *found;
      result.back() = {{"thinking", reasoning}};
      result.back().update(message);
      result.back()["reasoning_content"] = reasoning;
      break;
    }
  }
  return result;
}

}  // namespace

Expected<ChatTemplate> ChatTemplate::parse(std::string_view source, Json names) {
  auto compiled = jinja::Template::parse(source);
  if (!compiled) return failure("chat template, {}", compiled.error().message);
  return ChatTemplate(std::move(*compiled), std::string(source), std::move(names));
}

Expected<ChatTemplate> ChatTemplate::from_config(std::string_view tokenizer_config,
                                                 std::optional<std::string_view> file) {
  const Json config = Json::parse(tokenizer_config, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) return failure("tokenizer_config.json is not a JSON object");
  const auto inside = template_of(config);
  if (!file && !inside) {
    return usage_error(
        "no chat template: neither tokenizer_config.json nor chat_template.jinja has one");
  }
  return parse(file ? *file : *inside, special_tokens(config));
}

Expected<std::string> ChatTemplate::render(const Json& messages, const ChatOptions& options) const {
  Json values = names_;
  values["tools"] = nullptr;
  values["documents"] = nullptr;
  values.update(options.values);
  values["messages"] = with_reasoning(messages);
  values["add_generation_prompt"] = options.add_generation_prompt;
  if (options.enable_thinking) values["enable_thinking"] = *options.enable_thinking;
  auto text = template_.render(values, options.now);
  if (!text) return failure("chat template, {}", text.error().message);
  return text;
}

Expected<std::string> ChatTemplate::prompt(std::string_view user,
                                           const ChatOptions& options) const {
  return render(Json::array({{{"role", "user"}, {"content", user}}}), options);
}

}  // namespace redqueen
