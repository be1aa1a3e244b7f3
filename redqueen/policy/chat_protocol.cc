#include "redqueen/policy/chat_protocol.h"

#include "redqueen/core/json.h"

namespace redqueen {
namespace {

constexpr std::size_t kMaxErrorText = 300;

FinishReason finish_reason(const Json& choice) {
  const auto reason = choice.find("finish_reason");
  return reason != choice.end() && *reason == "length" ? FinishReason::kLength
                                                       : FinishReason::kStop;
}

std::int64_t count_of(const Json& usage, const char* name) {
  const auto count = usage.find(name);
  return count != usage.end() && count->is_number_integer() ? count->get<std::int64_t>() : 0;
}

void read_usage(const Json& body, ChatReply& reply) {
  const auto usage = body.find("usage");
  if (usage == body.end() || !usage->is_object()) return;
  reply.prompt_tokens = count_of(*usage, "prompt_tokens");
  reply.completion_tokens = count_of(*usage, "completion_tokens");
}

// The first choice of a body; nullptr if there is none.
const Json* first_choice(const Json& body) {
  if (!body.is_object()) return nullptr;
  const auto choices = body.find("choices");
  if (choices == body.end() || !choices->is_array() || choices->empty()) return nullptr;
  const Json& choice = choices->front();
  return choice.is_object() ? &choice : nullptr;
}

// The text below `part` ("message", "delta"); models that think aloud in a field of its own have it put before.
std::string text_of(const Json& choice, const char* part, std::string& thought) {
  const auto message = choice.find(part);
  if (message == choice.end() || !message->is_object()) return {};
  for (const char* name : {"reasoning_content", "reasoning"}) {
    const auto reasoning = message->find(name);
    if (reasoning == message->end() || !reasoning->is_string()) continue;
    thought += reasoning->get<std::string>();
    break;
  }
  const auto content = message->find("content");
  return content != message->end() && content->is_string() ? content->get<std::string>()
                                                           : std::string();
}

std::string with_thought(const std::string& thought, std::string text) {
  return thought.empty() ? std::move(text) : fmt::format("<think>{}</think>{}", thought, text);
}

bool is_error(const Json& body) {
  const auto error = body.find("error");
  return error != body.end() && !error->is_null();
}

}  // namespace

std::string chat_request_body(const ChatRequest& request, const EndpointOptions& options) {
  Json messages = Json::array();
  for (const ChatMessage& message : request.messages) {
    messages.push_back({{"role", message.role}, {"content", message.content}});
  }
  const SampleParameters& parameters = request.parameters;
  Json body{{"model", options.model},
            {"messages", std::move(messages)},
            {"max_tokens", parameters.max_new_tokens},
            {"temperature", parameters.temperature},
            {"top_p", parameters.top_p},
            // JSON numbers beyond 2^53 are not safe everywhere.
            {"seed", static_cast<std::int64_t>(request.seed & ((std::uint64_t{1} << 31) - 1))}};
  // Beyond the protocol, but understood by the common engines; left out where they are off.
  if (parameters.top_k > 0) body["top_k"] = parameters.top_k;
  if (parameters.min_p > 0) body["min_p"] = parameters.min_p;
  if (!parameters.stop.empty()) body["stop"] = parameters.stop;
  if (options.stream) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  if (!options.extra_body.empty()) {
    if (const auto extra = parse_json(options.extra_body)) body.update(*extra);
  }
  return dump_json(body);
}

Expected<ChatReply> read_chat_reply(std::string_view body) {
  const auto json = parse_json(body);
  if (!json) return failure("the body is no JSON: {}", json.error().message);
  if (json->is_object() && is_error(*json))
    return failure("the endpoint reports: {}", read_chat_error(body));
  const Json* choice = first_choice(*json);
  if (choice == nullptr) return failure("the body has no choices");
  if (!choice->contains("message")) return failure("the choice has no message");
  ChatReply reply;
  reply.finish = finish_reason(*choice);
  std::string thought;
  std::string text = text_of(*choice, "message", thought);
  reply.text = with_thought(thought, std::move(text));
  read_usage(*json, reply);
  return reply;
}

Expected<ChatReply> read_chat_stream(std::string_view body) {
  ChatReply reply;
  std::string thought;
  std::string text;
  bool done = false;
  bool any = false;
  while (!body.empty() && !done) {
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with("data:"))
      continue;  // comments, event names, the empty line between events
    line.remove_prefix(5);
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line == "[DONE]") {
      done = true;
      continue;
    }
    const auto event = parse_json(line);
    if (!event) return failure("an event of the stream is no JSON: {}", event.error().message);
    if (event->is_object() && is_error(*event))
      return failure("the endpoint reports: {}", read_chat_error(line));
    if (event->is_object()) read_usage(*event, reply);
    if (const Json* choice = first_choice(*event)) {
      any = true;
      text += text_of(*choice, "delta", thought);
      if (choice->contains("finish_reason") && !(*choice)["finish_reason"].is_null())
        reply.finish = finish_reason(*choice);
    }
  }
  if (!done) return failure("the stream ended before its last event");
  if (!any) return failure("the stream has no choices");
  reply.text = with_thought(thought, std::move(text));
  return reply;
}

std::string read_chat_error(std::string_view body) {
  std::string text(body);
  if (const auto json = parse_json(body); json && json->is_object()) {
    const auto error = json->find("error");
    const Json& about = error != json->end() ? *error : *json;
    if (about.is_string()) text = about.get<std::string>();
    if (about.is_object() && about.contains("message") && about["message"].is_string())
      text = about["message"].get<std::string>();
  }
  if (text.size() > kMaxErrorText) text = text.substr(0, kMaxErrorText) + " …";
  return text;
}

}  // namespace redqueen
