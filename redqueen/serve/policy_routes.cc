#include "redqueen/serve/policy_routes.h"

#include <atomic>
#include <ctime>

#include "redqueen/core/tool.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

constexpr int kMostChoices = 128;
constexpr std::size_t kMostPrompts = 256;

bool is_same(const SampleParameters& a, const SampleParameters& b) {
  return a.max_new_tokens == b.max_new_tokens && a.temperature == b.temperature &&
         a.top_k == b.top_k && a.top_p == b.top_p && a.min_p == b.min_p && a.stop == b.stop;
}

// What chat and plain completions have in common. What is left out is as OpenAI has it.
struct SamplingFields {
  std::optional<int> max_tokens;
  std::optional<int> max_completion_tokens;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<int> top_k;
  std::optional<double> min_p;
  std::optional<int> n;
  std::optional<std::uint64_t> seed;
  std::optional<bool> stream;
  REDQUEEN_FIELDS(max_tokens, max_completion_tokens, temperature, top_p, top_k, min_p, n, seed,
                  stream)
};

struct Asked {
  SamplingFields fields;
  SampleParameters parameters;
  bool wants_log_probs = false;
};

Expected<std::vector<std::string>> texts_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::vector<std::string>{};
  if (found->is_string()) return std::vector{found->get<std::string>()};
  std::vector<std::string> texts;
  const bool is_list = found->is_array() && std::ranges::all_of(*found, [](const Json& item) {
                         return item.is_string();
                       });
  if (!is_list) return usage_error("\"{}\": expected a string or a list of strings", key);
  for (const Json& item : *found) texts.push_back(item.get<std::string>());
  return texts;
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
  asked.parameters.top_k = fields.top_k.value_or(0);
  asked.parameters.min_p = fields.min_p.value_or(0.0);
  const int choices = fields.n.value_or(1);
  if (choices < 1 || choices > kMostChoices)
    return usage_error("\"n\": from 1 to {}", kMostChoices);
  if (asked.parameters.max_new_tokens < 1) return usage_error("\"max_tokens\": 1 at least");
  const auto log_probs = body.find("logprobs");
  asked.wants_log_probs = log_probs != body.end() && !log_probs->is_null() && *log_probs != false;
  return asked;
}

// The same seed gives the same responses; without one, every request has one of its own.
std::vector<RandomAddress> addresses_of(const SamplingFields& fields) {
  static std::atomic<std::uint64_t> count{0};
  static const std::uint64_t start = static_cast<std::uint64_t>(std::time(nullptr));
  std::vector<RandomAddress> addresses;
  for (int i = 0; i < fields.n.value_or(1); ++i) {
    addresses.push_back({.seed = fields.seed.value_or(start),
                         .purpose = hash_name("served completions"),
                         .step = fields.seed ? 0 : ++count,
                         .index = static_cast<std::uint64_t>(i)});
  }
  return addresses;
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
    return usage_error("\"messages\": a tool call has a \"function\"");
  ToolCall call{.id = text_at(json, "id"), .name = text_at(*function, "name")};
  if (auto arguments = parse_json(text_at(*function, "arguments"))) {
    call.arguments = std::move(*arguments);
  }
  return call;
}

Expected<std::vector<Message>> messages_of(const Json& body) {
  const auto list = body.find("messages");
  if (list == body.end() || !list->is_array() || list->empty())
    return usage_error("\"messages\": expected a list of messages");
  std::vector<Message> messages;
  for (const Json& item : *list) {
    if (!item.is_object() || text_at(item, "role").empty())
      return usage_error("\"messages\": a message has a \"role\"");
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
      return usage_error("\"tools\": a tool has a \"function\"");
    tools.push_back({.name = text_at(*function, "name"),
                     .description = text_at(*function, "description"),
                     .parameters = function->value("parameters", Json::object())});
  }
  return tools;
}

const char* finish_of(const Completion& completion, bool has_calls) {
  if (has_calls) return "tool_calls";
  return completion.finish == FinishReason::kStop ? "stop" : "length";
}

// A token is named by its number, which every tokenizer can tell.
std::string token_name(Token token) { return fmt::format("token_id:{}", token); }

Json chat_log_probs(const Completion& completion) {
  Json list = Json::array();
  for (std::size_t i = 0; i < completion.log_probs.size(); ++i) {
    list.push_back({{"token", token_name(completion.tokens[i])},
                    {"logprob", completion.log_probs[i]},
                    {"bytes", nullptr},
                    {"top_logprobs", Json::array()}});
  }
  return {{"content", std::move(list)}};
}

Json chat_message(const Action& action) {
  Json message{{"role", "assistant"}, {"content", action.text}};
  for (std::size_t i = 0; i < action.tool_calls.size(); ++i) {
    const ToolCall& call = action.tool_calls[i];
    Json function{{"name", call.name}, {"arguments", dump_json(call.arguments)}};
    message["tool_calls"].push_back({{"id", call.id.empty() ? fmt::format("call_{}", i) : call.id},
                                     {"index", i},
                                     {"type", "function"},
                                     {"function", std::move(function)}});
  }
  return message;
}

Json usage_of(std::span<const CompletionGroup> groups) {
  std::size_t prompt = 0;
  std::size_t completion = 0;
  for (const CompletionGroup& group : groups) {
    prompt += group.prompt_tokens.size();
    for (const Completion& one : group.completions) completion += one.tokens.size();
  }
  return {{"prompt_tokens", prompt},
          {"completion_tokens", completion},
          {"total_tokens", prompt + completion}};
}

net::Response fault(int status, const std::string& message) {
  return net::json_response(
      Json{{"error", {{"message", message}, {"type", "invalid_request_error"}, {"code", status}}}},
      status);
}

net::Response fault(const Error& error) {
  return fault(error.kind == ErrorKind::kUsage ? 400 : 500, error.message);
}

// The first response that is missing tells why, as an error of the whole.
Status check_there(std::span<const CompletionGroup> groups) {
  for (const CompletionGroup& group : groups) {
    for (const Completion& completion : group.completions) {
      if (completion.finish == FinishReason::kPromptTooLong)
        return usage_error("the prompt leaves no room for a response");
      if (completion.is_missing()) return failure("{}", completion.failure);
    }
  }
  return {};
}

Json envelope(const PolicyQueue& queue, const net::Request& request, const char* object) {
  return {{"id", fmt::format("cmpl-{}", request.id)},
          {"object", object},
          {"created", static_cast<std::int64_t>(std::time(nullptr))},
          {"model", queue.name()}};
}

// A stream of one piece for each choice, and its end.
net::Response streamed(const Json& answer, const char* object) {
  net::Response response{.content_type = "text/event-stream"};
  const auto send = [&](const Json& event) {
    response.body += fmt::format("data: {}\n\n", dump_json(event));
  };
  for (const Json& choice : answer["choices"]) {
    Json event = answer;
    event["object"] = object;
    event.erase("usage");
    Json piece = choice;
    if (piece.contains("message")) {
      piece["delta"] = piece["message"];
      piece.erase("message");
    }
    event["choices"] = Json::array({std::move(piece)});
    send(event);
  }
  Json last = answer;
  last["object"] = object;
  last["choices"] = Json::array();
  send(last);
  response.body += "data: [DONE]\n\n";
  return response;
}

net::Response chat(PolicyQueue& queue, const net::Request& request, const Json& body) {
  const auto asked = read_asked(body);
  if (!asked) return fault(asked.error());
  auto messages = messages_of(body);
  if (!messages) return fault(messages.error());
  const auto tools = tools_of(body);
  if (!tools) return fault(tools.error());
  auto group = queue.sample(
      {.addresses = addresses_of(asked->fields), .messages = std::move(*messages), .tools = *tools},
      asked->parameters);
  if (!group) return fault(group.error());
  if (const Status there = check_there({&*group, 1}); !there) return fault(there.error());
  Json answer = envelope(queue, request, "chat.completion");
  answer["choices"] = Json::array();
  for (std::size_t i = 0; i < group->completions.size(); ++i) {
    const Completion& completion = group->completions[i];
    const Action action = read_action(completion, *tools);
    Json choice{{"index", i},
                {"message", chat_message(action)},
                {"finish_reason", finish_of(completion, !action.tool_calls.empty())},
                {"token_ids", completion.tokens}};
    choice["logprobs"] = asked->wants_log_probs ? chat_log_probs(completion) : Json(nullptr);
    answer["choices"].push_back(std::move(choice));
  }
  answer["usage"] = usage_of({&*group, 1});
  const bool stream = asked->fields.stream.value_or(false);
  return stream ? streamed(answer, "chat.completion.chunk") : net::json_response(answer);
}

Json text_log_probs(const Completion& completion) {
  Json names = Json::array();
  for (const Token token : completion.tokens) names.push_back(token_name(token));
  return {{"tokens", std::move(names)}, {"token_logprobs", completion.log_probs}};
}

net::Response complete(PolicyQueue& queue, const net::Request& request, const Json& body) {
  const auto asked = read_asked(body);
  if (!asked) return fault(asked.error());
  const auto prompts = texts_of(body, "prompt");
  if (!prompts) return fault(prompts.error());
  if (prompts->empty() || prompts->size() > kMostPrompts)
    return fault(400, fmt::format("\"prompt\": from 1 to {} prompts", kMostPrompts));
  Json answer = envelope(queue, request, "text_completion");
  answer["choices"] = Json::array();
  std::vector<CompletionGroup> groups;
  for (const std::string& prompt : *prompts) {
    auto group = queue.sample({.prompt = prompt, .addresses = addresses_of(asked->fields)},
                              asked->parameters);
    if (!group) return fault(group.error());
    if (const Status there = check_there({&*group, 1}); !there) return fault(there.error());
    for (const Completion& completion : group->completions) {
      Json choice{{"index", answer["choices"].size()},
                  {"text", completion.text},
                  {"finish_reason", finish_of(completion, false)},
                  {"token_ids", completion.tokens}};
      choice["logprobs"] = asked->wants_log_probs ? text_log_probs(completion) : Json(nullptr);
      answer["choices"].push_back(std::move(choice));
    }
    groups.push_back(std::move(*group));
  }
  answer["usage"] = usage_of(groups);
  const bool stream = asked->fields.stream.value_or(false);
  return stream ? streamed(answer, "text_completion") : net::json_response(answer);
}

}  // namespace

PolicyQueue::PolicyQueue(Policy& policy) : policy_(policy), thread_([this] { work(); }) {}

PolicyQueue::~PolicyQueue() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Expected<CompletionGroup> PolicyQueue::sample(SampleRequest request,
                                              const SampleParameters& parameters) {
  std::future<Expected<CompletionGroup>> outcome;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({std::move(request), parameters, {}});
    outcome = waiting_.back().outcome.get_future();
  }
  changed_.notify_all();
  return outcome.get();
}

void PolicyQueue::work() {
  while (true) {
    std::list<Waiting> batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const SampleParameters parameters = waiting_.front().parameters;
      for (auto next = waiting_.begin(); next != waiting_.end();) {
        const auto current = next++;
        if (is_same(current->parameters, parameters)) batch.splice(batch.end(), waiting_, current);
      }
    }
    std::vector<SampleRequest> requests;
    for (Waiting& waiting : batch) requests.push_back(std::move(waiting.request));
    auto groups = policy_.sample(requests, batch.front().parameters);
    std::size_t i = 0;
    for (Waiting& waiting : batch) {
      if (groups) {
        waiting.outcome.set_value(std::move((*groups)[i++]));
      } else {
        waiting.outcome.set_value(tl::make_unexpected(groups.error()));
      }
    }
  }
}

void add_policy_routes(net::Router& router, PolicyQueue& queue) {
  const auto post = [&](const char* path, const char* summary, auto handle) {
    router.add(net::Method::kPost, path,
               with_json([&queue, handle](const net::Request& request, Json body) -> net::Answer {
                 return net::Later([&queue, handle, &request, body = std::move(body)] {
                   return handle(queue, request, body);
                 });
               }),
               {.summary = summary, .group = "policy", .request = json_schema<SamplingFields>()});
  };
  post("/v1/chat/completions", "The policy's next message", chat);
  post("/v1/completions", "What the policy writes after a prompt", complete);
  router.add(
      net::Method::kGet, "/v1/models",
      [&queue](const net::Request&) -> net::Answer {
        const Json model{{"id", queue.name()}, {"object", "model"}, {"owned_by", "redqueen"}};
        return net::json_response(Json{{"object", "list"}, {"data", Json::array({model})}});
      },
      {.summary = "The policy that is served", .group = "policy"});
}

}  // namespace redqueen::serve
