#include "redqueen/policy/chat_protocol.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "redqueen/base/json.h"
#include "redqueen/text/chat_layout.h"

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

TokenCounts usage_of(const Json& body) {
  const auto usage = body.find("usage");
  if (usage == body.end() || !usage->is_object()) return {};
  return {count_of(*usage, "prompt_tokens"), count_of(*usage, "completion_tokens")};
}

void read_usage(const Json& body, ChatReply& reply) {
  const auto usage = body.find("usage");
  if (usage == body.end() || !usage->is_object()) return;  // a stream tells it at its end
  const TokenCounts counts = usage_of(body);
  reply.prompt_tokens = counts.prompt;
  reply.completion_tokens = counts.completion;
}

// The first choice of a body; nullptr if there is none.
const Json* first_choice(const Json& body) {
  if (!body.is_object()) return nullptr;
  const auto choices = body.find("choices");
  if (choices == body.end() || !choices->is_array() || choices->empty()) return nullptr;
  const Json& choice = choices->front();
  return choice.is_object() ? &choice : nullptr;
}

// The text below `part` ("message", "delta"); models that think aloud in a field of its own have it
// put before.
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

// The calls of tools in a message, or in the pieces of a streamed one: a piece names the call that
// it continues by "index", and its arguments are a part of a JSON text.
class PartialCalls {
 public:
  // Reads "tool_calls" below `part` ("message", "delta").
  void add(const Json& choice, const char* part) {
    const auto message = choice.find(part);
    if (message == choice.end() || !message->is_object()) return;
    const auto calls = message->find("tool_calls");
    if (calls == message->end() || !calls->is_array()) return;
    for (std::size_t i = 0; i < calls->size(); ++i) add_piece((*calls)[i], i);
  }

  std::vector<ToolCall> finish() && {
    std::vector<ToolCall> calls;
    for (auto& [index, call] : calls_) {
      // An engine may write nothing where a tool takes nothing.
      const std::string& text = call.arguments;
      auto arguments = parse_json(text.empty() ? "{}" : text);
      calls.push_back({.id = std::move(call.id),
                       .name = std::move(call.name),
                       .arguments = arguments ? std::move(*arguments) : Json(text)});
    }
    return calls;
  }

 private:
  struct Call {
    std::string id, name, arguments;
  };

  void add_piece(const Json& piece, std::size_t place) {
    if (!piece.is_object()) return;
    const auto index = piece.find("index");
    const bool numbered = index != piece.end() && index->is_number_unsigned();
    Call& call = calls_[numbered ? index->get<std::uint64_t>() : place];
    const auto add_text = [](const Json& object, const char* key, std::string& to) {
      const auto found = object.find(key);
      if (found == object.end()) return;
      if (found->is_string()) to += found->get_ref<const std::string&>();
      if (found->is_object()) to += dump_json(*found);  // of engines that do not quote arguments
    };
    add_text(piece, "id", call.id);
    const auto function = piece.find("function");
    if (function == piece.end() || !function->is_object()) return;
    add_text(*function, "name", call.name);
    add_text(*function, "arguments", call.arguments);
  }

  std::map<std::uint64_t, Call> calls_;
};

// A message as the protocol has it: the arguments of calls are JSON texts.
Json message_json(const Message& message) {
  Json json = template_message(message);
  if (!json.contains("tool_calls")) return json;
  for (Json& call : json["tool_calls"]) {
    Json& arguments = call["function"]["arguments"];
    arguments = dump_json(arguments);
  }
  if (message.content.empty()) json["content"] = nullptr;
  return json;
}

// What all requests say of sampling.
Json sampling_body(const SampleParameters& parameters, std::uint64_t seed,
                   const EndpointOptions& options) {
  Json body{{"model", options.model},
            {"max_tokens", parameters.max_new_tokens},
            {"temperature", parameters.temperature},
            {"top_p", parameters.top_p},
            // JSON numbers beyond 2^53 are not safe everywhere.
            {"seed", static_cast<std::int64_t>(seed & ((std::uint64_t{1} << 31) - 1))}};
  if (!parameters.stop.empty()) body["stop"] = parameters.stop;
  return body;
}

std::string with_extra(Json body, const EndpointOptions& options) {
  if (!options.extra_body.empty()) {
    if (const auto extra = parse_json(options.extra_body)) body.update(*extra);
  }
  return dump_json(body);
}

// The drawn tokens of a choice: "token_ids", or names like "token_id:12" in "logprobs".
Expected<std::vector<Token>> drawn_tokens(const Json& choice, const Json& log_probs) {
  std::vector<Token> tokens;
  const auto add = [&](std::int64_t number) {
    if (number < 0 || number > std::numeric_limits<Token>::max()) return false;
    tokens.push_back(static_cast<Token>(number));
    return true;
  };
  if (const auto ids = choice.find("token_ids"); ids != choice.end() && ids->is_array()) {
    for (const Json& id : *ids) {
      if (!id.is_number_integer() || !add(id.get<std::int64_t>()))
        return failure("\"token_ids\" holds {}, which is no token", dump_json(id));
    }
    return tokens;
  }
  constexpr std::string_view kPrefix = "token_id:";
  const auto names = log_probs.find("tokens");
  if (names == log_probs.end() || !names->is_array()) {
    return failure(
        "the answer does not tell which tokens were drawn (\"token_ids\"); use an engine, or a "
        "version of it, that knows \"return_token_ids\"");
  }
  for (const Json& name : *names) {
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    std::int64_t number = -1;
    if (text.starts_with(kPrefix))
      std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), number);
    if (!add(number)) {
      return failure(
          "the answer tells drawn tokens as texts ({}), which more than one token may have; use an "
          "engine, or a version of it, that knows \"return_token_ids\"",
          dump_json(name));
    }
  }
  return tokens;
}

Expected<std::vector<float>> drawn_log_probs(const Json& log_probs, std::size_t tokens) {
  const auto values = log_probs.find("token_logprobs");
  if (values == log_probs.end() || !values->is_array() || values->size() != tokens)
    return failure("\"token_logprobs\" does not have one number for each of {} tokens", tokens);
  std::vector<float> numbers;
  for (const Json& value : *values) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(number))
      return failure("\"token_logprobs\" holds {}, which is no number", dump_json(value));
    numbers.push_back(static_cast<float>(number));
  }
  return numbers;
}

// "metadata": {"weight_version": …} of a body.
std::optional<std::string> weights_version_of(const Json& body) {
  const auto metadata = body.find("metadata");
  if (metadata == body.end() || !metadata->is_object()) return std::nullopt;
  const auto version = metadata->find("weight_version");
  if (version == metadata->end() || !version->is_string()) return std::nullopt;
  return version->get<std::string>();
}

bool is_error(const Json& body) {
  const auto error = body.find("error");
  return error != body.end() && !error->is_null();
}

}  // namespace

std::string chat_request_body(const ChatRequest& request, const EndpointOptions& options) {
  const SampleParameters& parameters = request.parameters;
  Json body = sampling_body(parameters, request.seed, options);
  body["messages"] = Json::array();
  for (const Message& message : request.messages) body["messages"].push_back(message_json(message));
  // Beyond the protocol, but understood by the common engines; left out where they are off.
  if (parameters.top_k > 0) body["top_k"] = parameters.top_k;
  if (parameters.min_p > 0) body["min_p"] = parameters.min_p;
  for (const ToolSpec& tool : request.tools) body["tools"].push_back(template_tool(tool));
  if (options.stream) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  return with_extra(std::move(body), options);
}

std::string token_request_body(const TokenRequest& request, const EndpointOptions& options) {
  const SampleParameters& parameters = request.parameters;
  Json body = sampling_body(parameters, request.seed, options);
  body["prompt"] = request.prompt;
  body["logprobs"] = 1;
  body["return_token_ids"] = true;
  body["return_tokens_as_token_ids"] = true;  // of a vLLM that does not know the former
  // Engines take what is left out from the model's generation_config.json: everything is said.
  body["top_k"] = parameters.top_k > 0 ? parameters.top_k : -1;
  body["min_p"] = parameters.min_p;
  body["repetition_penalty"] = 1;
  body["presence_penalty"] = 0;
  body["frequency_penalty"] = 0;
  // The end of a response is learnt, too: vLLM and SGLang are asked not to cut it off.
  if (!request.stop_tokens.empty()) body["stop_token_ids"] = request.stop_tokens;
  body["include_stop_str_in_output"] = true;
  body["no_stop_trim"] = true;
  body["skip_special_tokens"] = false;
  return with_extra(std::move(body), options);
}

Expected<TokenReply> read_token_reply(std::string_view body) {
  const auto json = parse_json(body);
  if (!json) return failure("the body is no JSON: {}", json.error().message);
  if (json->is_object() && is_error(*json))
    return failure("the endpoint reports: {}", read_chat_error(body));
  const Json* choice = first_choice(*json);
  if (choice == nullptr) return failure("the body has no choices");
  const auto log_probs = choice->find("logprobs");
  if (log_probs == choice->end() || !log_probs->is_object()) {
    return failure(
        "the answer has no \"logprobs\": the engine must tell the log-probabilities of drawn "
        "tokens");
  }
  TokenReply reply;
  reply.finish = finish_reason(*choice);
  ASSIGN_OR_RETURN(reply.tokens, drawn_tokens(*choice, *log_probs));
  ASSIGN_OR_RETURN(reply.log_probs, drawn_log_probs(*log_probs, reply.tokens.size()));
  reply.version = weights_version_of(*json);
  reply.counts = usage_of(*json);
  return reply;
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
  PartialCalls calls;
  calls.add(*choice, "message");
  reply.tool_calls = std::move(calls).finish();
  read_usage(*json, reply);
  return reply;
}

Expected<ChatReply> read_chat_stream(std::string_view body) {
  ChatReply reply;
  std::string thought;
  std::string text;
  PartialCalls calls;
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
      calls.add(*choice, "delta");
      if (choice->contains("finish_reason") && !(*choice)["finish_reason"].is_null())
        reply.finish = finish_reason(*choice);
    }
  }
  if (!done) return failure("the stream ended before its last event");
  if (!any) return failure("the stream has no choices");
  reply.tool_calls = std::move(calls).finish();
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
