#include "redqueen/text/chat_template.h"

#include <fmt/ranges.h>

#include <map>
#include <ranges>

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

// Adds the tokens of an object whose keys name them, such as bos_token.
void add_tokens(const Json& object, Json& names) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    if (!key.ends_with("_token")) continue;
    if (const auto text = token_text(value)) names[key] = *text;
  }
}

// tokenizer_config.json counts before special_tokens_map.json, which old releases have.
Json special_tokens(const Json& config, const Json& map) {
  Json names = Json::object();
  add_tokens(map, names);
  add_tokens(config, names);
  add_tokens(config.value("extra_special_tokens", Json()), names);
  return names;
}

// Templates by their names; a single one is called "default".
using NamedTemplates = std::map<std::string, std::string>;

NamedTemplates templates_of(const Json& config) {
  const auto found = config.find("chat_template");
  if (found == config.end()) return {};
  if (found->is_string()) return {{"default", found->get<std::string>()}};
  NamedTemplates templates;
  if (!found->is_array()) return templates;
  for (const Json& entry : *found) {
    if (entry.is_object() && entry.value("name", Json()).is_string() &&
        entry.value("template", Json()).is_string()) {
      templates[entry["name"]] = entry["template"];
    }
  }
  return templates;
}

NamedTemplates templates_of(const TemplateFiles& files, const Json& config) {
  NamedTemplates templates;
  if (files.chat_template) templates["default"] = *files.chat_template;
  if (files.tool_template) templates["tool_use"] = *files.tool_template;
  return templates.empty() ? templates_of(config) : templates;
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

Expected<ChatTemplate> ChatTemplate::from_files(const TemplateFiles& files) {
  const Json config = Json::parse(files.tokenizer_config, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) return failure("tokenizer_config.json is not a JSON object");
  const Json map = Json::parse(files.special_tokens_map.value_or("{}"), nullptr, false);
  const NamedTemplates templates = templates_of(files, config);
  if (templates.empty()) {
    return usage_error(
        "no chat template: neither tokenizer_config.json nor chat_template.jinja has one");
  }
  const auto chosen = templates.find("default");
  if (chosen == templates.end()) {
    const auto names = std::views::keys(templates);
    return usage_error(
        "no chat template is called \"default\", only {}; write the one that is meant "
        "into chat_template.jinja",
        fmt::join(names, ", "));
  }
  ASSIGN_OR_RETURN(ChatTemplate result, parse(chosen->second, special_tokens(config, map)));
  if (const auto tools = templates.find("tool_use"); tools != templates.end()) {
    auto compiled = jinja::Template::parse(tools->second);
    if (!compiled) return failure("chat template tool_use, {}", compiled.error().message);
    result.for_tools_ = std::move(*compiled);
  }
  return result;
}

Expected<std::string> ChatTemplate::render(const Json& messages, const ChatOptions& options) const {
  Json values = names_;
  values["tools"] = nullptr;
  values["documents"] = nullptr;
  values.update(options.values);
  values["messages"] = with_reasoning(messages);
  values["add_generation_prompt"] = options.add_generation_prompt;
  if (options.enable_thinking) values["enable_thinking"] = *options.enable_thinking;
  const bool with_tools = for_tools_ && !values["tools"].is_null();
  auto text = (with_tools ? *for_tools_ : template_).render(values, options.now);
  if (!text) return failure("chat template, {}", text.error().message);
  return text;
}

Expected<std::string> ChatTemplate::prompt(std::string_view user,
                                           const ChatOptions& options) const {
  return render(Json::array({{{"role", "user"}, {"content", user}}}), options);
}

}  // namespace redqueen
