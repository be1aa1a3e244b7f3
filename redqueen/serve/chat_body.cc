#include "redqueen/serve/chat_body.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <limits>

#include "redqueen/core/tool.h"
#include "redqueen/serve/service.h"

namespace redqueen::serve {
namespace {

constexpr int kMostChoices = 128;

// A stream has begun, with status 200, when a policy refuses: what can be known is told before.
Status check_ranges(const SampleParameters& p) {
  if (p.max_new_tokens < 1) return usage_error("\"max_tokens\": 1 at least");
  if (!(p.temperature >= 0)) return usage_error("\"temperature\": 0 at least");
  if (!(p.top_p > 0 && p.top_p <= 1)) return usage_error("\"top_p\": above 0, 1 at most");
  if (!(p.min_p >= 0 && p.min_p <= 1)) return usage_error("\"min_p\": from 0 to 1");
  if (p.top_k < 0) return usage_error("\"top_k\": 0 at least");
  if (std::ranges::find(p.stop, "") != p.stop.end())
    return usage_error("\"stop\": an empty text ends every response at once");
  return {};
}

// The text of a message: a string, or the texts of its parts.
Expected<std::string> content_of(const Json& message) {
  const auto content = message.find("content");
  if (content == message.end() || content->is_null()) return std::string();
  if (content->is_string()) return content->get<std::string>();
  if (!content->is_array()) return usage_error("\"messages\": a content is a string or a list");
  std::string text;
  for (const Json& part : *content) {
    if (!part.is_object() || !part.contains("text") || !part["text"].is_string())
      return usage_error("\"messages\": a content has parts that are no text");
    text += part["text"].get<std::string>();
  }
  return text;
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Expected<ToolCall> call_of(const Json& json) {
  const auto function = json.is_object() ? json.find("function") : json.end();
  if (!json.is_object() || function == json.end() || !function->is_object())
    return usage_error(R"("messages": a tool call has a "function")");
  ToolCall call{.id = text_at(json, "id"), .name = text_at(*function, "name")};
  if (auto arguments = parse_json(text_at(*function, "arguments"))) {
    call.arguments = std::move(*arguments);
  }
  return call;
}

}  // namespace

Expected<std::vector<std::string>> texts_of(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || found->is_null()) return std::vector<std::string>{};
  if (found->is_string()) return std::vector{found->get<std::string>()};
  std::vector<std::string> texts;
  const bool is_list = found->is_array() && std::ranges::all_of(*found, [](const Json& item) {
                         return item.is_string();
                       });
  if (!is_list) return usage_error("\"{}\": expected a string or a list of strings", key);
  for (const Json& item : *found) texts.push_back(item.get<std::string>());
  return texts;
}

Expected<std::vector<Token>> tokens_at(const Json& body, const char* key) {
  const auto found = body.find(key);
  std::vector<Token> tokens;
  if (found == body.end() || !found->is_array() || found->empty() ||
      !found->front().is_number_integer()) {
    return tokens;
  }
  for (const Json& item : *found) {
    const std::int64_t number = item.is_number_integer() ? item.get<std::int64_t>() : -1;
    if (number < 0 || number > std::numeric_limits<Token>::max())
      return usage_error("\"{}\": {} is no token", key, dump_json(item));
    tokens.push_back(static_cast<Token>(number));
  }
  return tokens;
}

Expected<Asked> read_asked(const Json& body) {
  Asked asked;
  ASSIGN_OR_RETURN(asked.fields, read_fields<SamplingFields>(body));
  const SamplingFields& fields = asked.fields;
  ASSIGN_OR_RETURN(asked.parameters.stop, texts_of(body, "stop"));
  asked.parameters.max_new_tokens =
      fields.max_completion_tokens.value_or(fields.max_tokens.value_or(256));
  asked.parameters.temperature = fields.temperature.value_or(1.0);
  asked.parameters.top_p = fields.top_p.value_or(1.0);
  // vLLM and SGLang say -1 where nothing is cut off.
  asked.parameters.top_k = fields.top_k.value_or(0) == -1 ? 0 : fields.top_k.value_or(0);
  asked.parameters.min_p = fields.min_p.value_or(0.0);
  const int choices = fields.n.value_or(1);
  if (choices < 1 || choices > kMostChoices)
    return usage_error("\"n\": from 1 to {}", kMostChoices);
  RETURN_IF_ERROR(check_ranges(asked.parameters));
  const auto log_probs = body.find("logprobs");
  asked.wants_log_probs = log_probs != body.end() && !log_probs->is_null() && *log_probs != false;
  asked.streams = fields.stream.value_or(false);
  const auto options = body.find("stream_options");
  asked.wants_usage = !asked.streams || (options != body.end() && options->is_object() &&
                                         options->value("include_usage", Json(false)) == true);
  return asked;
}

std::vector<RandomAddress> addresses_of(const SamplingFields& fields) {
  static std::atomic<std::uint64_t> count{0};
  static const auto start = static_cast<std::uint64_t>(std::time(nullptr));
  std::vector<RandomAddress> addresses;
  for (int i = 0; i < fields.n.value_or(1); ++i) {
    addresses.push_back({.seed = fields.seed.value_or(start),
                         .purpose = hash_name("served completions"),
                         .step = fields.seed ? 0 : ++count,
                         .index = static_cast<std::uint64_t>(i)});
  }
  return addresses;
}

Expected<std::vector<Message>> messages_of(const Json& body) {
  const auto list = body.find("messages");
  if (list == body.end() || !list->is_array() || list->empty())
    return usage_error("\"messages\": expected a list of messages");
  std::vector<Message> messages;
  for (const Json& item : *list) {
    if (!item.is_object() || text_at(item, "role").empty())
      return usage_error(R"("messages": a message has a "role")");
    Message message{.role = text_at(item, "role"), .tool_call_id = text_at(item, "tool_call_id")};
    ASSIGN_OR_RETURN(message.content, content_of(item));
    if (const auto calls = item.find("tool_calls"); calls != item.end() && calls->is_array()) {
      for (const Json& call : *calls) {
        ASSIGN_OR_RETURN(auto read, call_of(call));
        message.tool_calls.push_back(std::move(read));
      }
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

Expected<std::vector<ToolSpec>> tools_of(const Json& body) {
  std::vector<ToolSpec> tools;
  const auto list = body.find("tools");
  if (list == body.end() || list->is_null()) return tools;
  if (!list->is_array()) return usage_error("\"tools\": expected a list");
  for (const Json& item : *list) {
    const auto function = item.is_object() ? item.find("function") : item.end();
    if (!item.is_object() || function == item.end() || !function->is_object())
      return usage_error(R"("tools": a tool has a "function")");
    tools.push_back({.name = text_at(*function, "name"),
                     .description = text_at(*function, "description"),
                     .parameters = function->value("parameters", Json::object())});
  }
  return tools;
}

}  // namespace redqueen::serve
