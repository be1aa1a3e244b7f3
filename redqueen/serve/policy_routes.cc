#include "redqueen/serve/policy_routes.h"

#include <ctime>

#include "redqueen/core/tool.h"
#include "redqueen/serve/chat_body.h"
#include "redqueen/serve/routes.h"
#include "redqueen/text/chat_layout.h"
#include "redqueen/text/utf8.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kMostPrompts = 256;
constexpr std::size_t kMostBytesToTokenize = std::size_t{4} << 20;

// ------------------------------------------------------------------------------------------------
// The parts of an answer

const char* finish_of(const Completion& completion, bool has_calls) {
  if (has_calls) return "tool_calls";
  return completion.finish == FinishReason::kStop ? "stop" : "length";
}

// Tokens of a choice from one place on. A token is named by its number, which every tokenizer can
// tell.
Json log_probs_json(const Completion& completion, std::size_t from, bool is_chat) {
  Json names = Json::array();
  Json values = Json::array();
  Json content = Json::array();
  for (std::size_t i = from; i < completion.log_probs.size(); ++i) {
    std::string name = fmt::format("token_id:{}", completion.tokens[i]);
    if (is_chat) {
      content.push_back({{"token", std::move(name)},
                         {"logprob", completion.log_probs[i]},
                         {"bytes", nullptr},
                         {"top_logprobs", Json::array()}});
    } else {
      names.push_back(std::move(name));
      values.push_back(completion.log_probs[i]);
    }
  }
  if (is_chat) return {{"content", std::move(content)}};
  return {{"tokens", std::move(names)}, {"token_logprobs", std::move(values)}};
}

Json calls_json(std::span<const ToolCall> calls) {
  Json list = Json::array();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Json function{{"name", calls[i].name}, {"arguments", dump_json(calls[i].arguments)}};
    list.push_back({{"id", calls[i].id.empty() ? fmt::format("call_{}", i) : calls[i].id},
                    {"index", i},
                    {"type", "function"},
                    {"function", std::move(function)}});
  }
  return list;
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

Json fault_json(int status, const std::string& message) {
  return {{"error", {{"message", message}, {"type", "invalid_request_error"}, {"code", status}}}};
}

net::Response fault(int status, const std::string& message) {
  return net::json_response(fault_json(status, message), status);
}

int status_of(const Error& error) { return error.kind == ErrorKind::kUsage ? 400 : 500; }

net::Response fault(const Error& error) { return fault(status_of(error), error.message); }

// ------------------------------------------------------------------------------------------------
// Answers

// What a request wants of the policy, and how its answer is written.
struct Completing {
  Asked asked;
  bool is_chat = false;
  std::vector<ToolSpec> tools;
  std::vector<SampleRequest> requests;  // all with as many responses
  Json head;                            // what an answer, or each event of a stream, begins with

  std::size_t choices() const { return requests.size() * requests.front().addresses.size(); }
  // Reads the model's turn: where no tools were offered, nothing is taken for a call of one.
  Action action_of(const Completion& completion) const {
    if (tools.empty()) return {completion.text, completion.tool_calls};
    return read_action(completion, tools);
  }
};

using Outcomes = std::vector<std::future<Expected<PolicyQueue::Drawn>>>;

// What all requests of an answer drew.
struct Answered {
  std::vector<CompletionGroup> groups;  // in the order of the requests
  std::string version;                  // of the weights that drew the first
};

// The first response that is missing tells why, as an error of the whole.
Expected<Answered> answered(Outcomes& outcomes) {
  Answered all;
  for (auto& outcome : outcomes) {
    ASSIGN_OR_RETURN(auto drawn, outcome.get());
    for (const Completion& completion : drawn.group.completions) {
      if (completion.finish == FinishReason::kPromptTooLong)
        return usage_error("the prompt leaves no room for a response");
      if (completion.is_missing()) return failure("{}", completion.failure);
    }
    if (all.groups.empty()) all.version = std::move(drawn.version);
    all.groups.push_back(std::move(drawn.group));
  }
  return all;
}

Json choice_json(const Completing& job, const Completion& completion, std::size_t index) {
  const Action action = job.action_of(completion);
  Json choice{{"index", index}};
  if (job.is_chat) {
    choice["message"] = {{"role", "assistant"}, {"content", action.text}};
    if (!action.tool_calls.empty()) choice["message"]["tool_calls"] = calls_json(action.tool_calls);
  } else {
    choice["text"] = completion.text;
  }
  choice["finish_reason"] = finish_of(completion, !action.tool_calls.empty());
  choice["token_ids"] = completion.tokens;
  choice["logprobs"] =
      job.asked.wants_log_probs ? log_probs_json(completion, 0, job.is_chat) : Json(nullptr);
  return choice;
}

net::Response answer_whole(PolicyQueue& queue, const Completing& job) {
  Outcomes outcomes;
  outcomes.reserve(job.requests.size());
  for (const SampleRequest& request : job.requests)
    outcomes.push_back(queue.submit(request, job.asked.parameters));
  const auto all = answered(outcomes);
  if (!all) return fault(all.error());
  Json answer = job.head;
  answer["choices"] = Json::array();
  for (const CompletionGroup& group : all->groups)
    for (const Completion& completion : group.completions)
      answer["choices"].push_back(choice_json(job, completion, answer["choices"].size()));
  answer["usage"] = usage_of(all->groups);
  if (queue.can_load()) answer["metadata"] = {{"weight_version", all->version}};
  return net::json_response(answer);
}

// ------------------------------------------------------------------------------------------------
// Streams

// How much of a text can be sent: all but a character that has only begun.
std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;  // goes on with a character
    const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return wanted > back ? text.size() - back : text.size();
  }
  return text.size();
}

// An answer in pieces: the queue's thread tells what was drawn, a worker takes what is to be sent.
class AnswerStream {
 public:
  explicit AnswerStream(Completing job) : job_(std::move(job)), choices_(job_.choices()) {}

  static net::Stream start(PolicyQueue& queue, Completing job) {
    const auto stream = std::make_shared<AnswerStream>(std::move(job));
    const std::size_t each = stream->job_.requests.front().addresses.size();
    for (std::size_t i = 0; i < stream->job_.requests.size(); ++i) {
      stream->outcomes_.push_back(
          queue.submit(stream->job_.requests[i], stream->job_.asked.parameters,
                       [stream, first = i * each](std::size_t response, const Completion& so_far) {
                         stream->hear(first + response, so_far);
                       }));
    }
    return {.next = [stream] { return stream->next(); }, .interval = std::chrono::milliseconds(5)};
  }

  std::optional<std::string> next() {
    if (is_over_) return std::nullopt;
    std::string events;
    {
      const std::scoped_lock lock(mutex_);
      for (std::size_t i = 0; i < choices_.size(); ++i) send_news(events, i, choices_[i].heard);
    }
    if (events.empty() && is_done()) {
      is_over_ = true;
      return last_events();
    }
    return events;
  }

 private:
  struct Choice {
    Completion heard;  // so far
    std::size_t sent_bytes = 0;
    std::size_t sent_tokens = 0;
    bool has_begun = false;
  };

  void hear(std::size_t choice, const Completion& so_far) {
    const std::scoped_lock lock(mutex_);
    Completion& heard = choices_[choice].heard;
    heard.text.append(so_far.text, heard.text.size());
    const auto append_new = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(to.size()), from.end());
    };
    append_new(heard.tokens, so_far.tokens);
    append_new(heard.log_probs, so_far.log_probs);
  }
  bool is_done() const {
    return std::ranges::all_of(outcomes_, [](const auto& outcome) {
      return outcome.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
  }

  void send(std::string& events, const Json& event) const {
    events += fmt::format("data: {}\n\n", dump_json(event));
  }
  // An event about a choice. Its tokens from the first unsent one on go with it.
  void send(std::string& events, std::size_t index, const Completion& completion, const Json& delta,
            Json finish) {
    Choice& choice = choices_[index];
    Json piece{{"index", index}};
    if (job_.is_chat) {
      piece["delta"] = choice.has_begun ? Json::object() : Json{{"role", "assistant"}};
      piece["delta"].update(delta);
    } else {
      piece["text"] = delta.value("content", "");
    }
    choice.has_begun = true;
    piece["finish_reason"] = std::move(finish);
    piece["logprobs"] = job_.asked.wants_log_probs
                            ? log_probs_json(completion, choice.sent_tokens, job_.is_chat)
                            : Json(nullptr);
    piece["token_ids"] = std::vector<Token>(
        completion.tokens.begin() + static_cast<std::ptrdiff_t>(choice.sent_tokens),
        completion.tokens.end());
    choice.sent_tokens = completion.tokens.size();
    Json event = job_.head;
    event["choices"] = Json::array({std::move(piece)});
    send(events, event);
  }
  void send_news(std::string& events, std::size_t index, const Completion& heard) {
    Choice& choice = choices_[index];
    if (!job_.tools.empty()) return;
    const std::size_t end = std::max(choice.sent_bytes, whole_characters(heard.text));
    if (end == choice.sent_bytes) return;
    const Json delta{{"content", heard.text.substr(choice.sent_bytes, end - choice.sent_bytes)}};
    choice.sent_bytes = end;
    send(events, index, heard, delta, nullptr);
  }

  // Returns the events that no news told of, and the reason why each choice ended.
  std::string last_events() {
    std::string events;
    const auto all = answered(outcomes_);
    if (!all) {
      send(events, fault_json(status_of(all.error()), all.error().message));
    } else {
      std::size_t index = 0;
      for (const CompletionGroup& group : all->groups)
        for (const Completion& completion : group.completions)
          end_choice(events, index++, completion);
      if (job_.asked.wants_usage) {
        Json event = job_.head;
        event["choices"] = Json::array();
        event["usage"] = usage_of(all->groups);
        send(events, event);
      }
    }
    return events + "data: [DONE]\n\n";
  }
  void end_choice(std::string& events, std::size_t index, const Completion& completion) {
    const Action action = job_.action_of(completion);
    Json delta = Json::object();
    const std::string_view rest = std::string_view(action.text).substr(choices_[index].sent_bytes);
    if (!rest.empty()) delta["content"] = rest;
    if (!action.tool_calls.empty()) delta["tool_calls"] = calls_json(action.tool_calls);
    send(events, index, completion, delta, finish_of(completion, !action.tool_calls.empty()));
  }

  const Completing job_;
  Outcomes outcomes_;
  std::mutex mutex_;  // over what is heard
  std::vector<Choice> choices_;
  bool is_over_ = false;
};

// ------------------------------------------------------------------------------------------------
// Routes

Json head_of(const PolicyQueue& queue, const net::Request& request, const char* object) {
  return {{"id", fmt::format("cmpl-{}", request.id)},
          {"object", object},
          {"created", static_cast<std::int64_t>(std::time(nullptr))},
          {"model", queue.name()}};
}

Expected<Completing> read_chat(const Json& body) {
  Completing job{.is_chat = true};
  ASSIGN_OR_RETURN(job.asked, read_asked(body));
  ASSIGN_OR_RETURN(job.tools, tools_of(body));
  SampleRequest request{.addresses = addresses_of(job.asked.fields), .tools = job.tools};
  ASSIGN_OR_RETURN(request.messages, messages_of(body));
  job.requests.push_back(std::move(request));
  return job;
}

Expected<Completing> read_completions(const Json& body) {
  Completing job;
  ASSIGN_OR_RETURN(job.asked, read_asked(body));
  ASSIGN_OR_RETURN(const auto tokens, tokens_at(body, "prompt"));
  if (!tokens.empty()) {
    if (job.asked.streams)
      return usage_error("\"stream\": what goes on after tokens is answered as a whole");
    job.requests.push_back({.addresses = addresses_of(job.asked.fields), .prompt_tokens = tokens});
    return job;
  }
  ASSIGN_OR_RETURN(const auto prompts, texts_of(body, "prompt"));
  if (prompts.empty() || prompts.size() > kMostPrompts)
    return usage_error("\"prompt\": from 1 to {} prompts", kMostPrompts);
  for (const std::string& prompt : prompts)
    job.requests.push_back({.prompt = prompt, .addresses = addresses_of(job.asked.fields)});
  return job;
}

net::Answer answer(PolicyQueue& queue, const net::Request& request, Expected<Completing> job) {
  if (!job) return fault(job.error());
  const bool streams = job->asked.streams;
  const char* const object = !job->is_chat ? "text_completion"
                             : streams     ? "chat.completion.chunk"
                                           : "chat.completion";
  job->head = head_of(queue, request, object);
  if (streams) return AnswerStream::start(queue, std::move(*job));
  return net::Later([&queue, job = std::move(*job)] { return answer_whole(queue, job); });
}

struct TokenizeFields {
  std::optional<std::string> prompt;
  std::optional<bool> add_special_tokens;
  REDQUEEN_FIELDS(prompt, add_special_tokens)
};

struct DetokenizeFields {
  std::vector<Token> tokens;
  REDQUEEN_FIELDS(tokens)
};

// A prompt, or messages as the policy's chat template lays them out.
Expected<std::vector<Token>> tokenize(const Tokenizer& tokenizer, const Json& body) {
  ASSIGN_OR_RETURN(auto fields, read_fields<TokenizeFields>(body));
  std::string text = fields.prompt.value_or("");
  if (body.contains("messages")) {
    ASSIGN_OR_RETURN(const auto messages, messages_of(body));
    ASSIGN_OR_RETURN(const auto tools, tools_of(body));
    ASSIGN_OR_RETURN(const auto chat, tokenizer.chat_template());
    ASSIGN_OR_RETURN(text, lay_out(chat, messages, tools));
  } else if (!fields.prompt) {
    return usage_error(R"("prompt": missing, and so are "messages")");
  }
  if (text.size() > kMostBytesToTokenize)
    return usage_error("a text has {} bytes at most", kMostBytesToTokenize);
  return fields.add_special_tokens.value_or(true) ? tokenizer.encode_prompt(text)
                                                  : tokenizer.encode(text);
}

void add_token_routes(net::Router& router, const Tokenizer& tokenizer) {
  router.add(
      net::Method::kPost, "/tokenize",
      with_json([&tokenizer](const net::Request&, Json body) -> net::Answer {
        return net::Later([&tokenizer, body = std::move(body)] {
          const auto tokens = tokenize(tokenizer, body);
          return tokens ? net::json_response(Json{{"count", tokens->size()}, {"tokens", *tokens}})
                        : fault(tokens.error());
        });
      }),
      {.summary = "The tokens that the policy reads of a prompt or of messages",
       .group = "policy",
       .request = json_schema<TokenizeFields>()});
  router.add(net::Method::kPost, "/detokenize",
             with_json([&tokenizer](const net::Request&, const Json& body) -> net::Answer {
               const auto fields = read_fields<DetokenizeFields>(body);
               if (!fields) return fault(fields.error());
               return net::json_response(Json{{"prompt", tokenizer.decode(fields->tokens)}});
             }),
             {.summary = "The text that tokens stand for",
              .group = "policy",
              .request = json_schema<DetokenizeFields>()});
}

struct LoadFields {
  std::string model_path;
  std::optional<std::string> weight_version;
  REDQUEEN_FIELDS(model_path, weight_version)
};

// Named, asked and answered as SGLang has it; answers then tell the version of their weights.
void add_load_route(net::Router& router, PolicyQueue& queue) {
  router.add(net::Method::kPost, "/update_weights_from_disk",
             with_json([&queue](const net::Request&, const Json& body) -> net::Answer {
               auto fields = read_fields<LoadFields>(body);
               if (!fields) return fault(fields.error());
               return net::Later([&queue, fields = std::move(*fields)] {
                 const Status loaded =
                     queue.load(fields.model_path, fields.weight_version.value_or("")).get();
                 const Json answer{{"success", loaded.has_value()},
                                   {"message", loaded ? "" : loaded.error().message}};
                 return net::json_response(answer, loaded ? 200 : 400);
               });
             }),
             {.access = net::Access::kAdmin,
              .summary = "Put the weights of a checkpoint folder into the policy",
              .group = "policy",
              .request = json_schema<LoadFields>()});
}

}  // namespace

void add_policy_routes(net::Router& router, PolicyQueue& queue) {
  const auto post = [&](const char* path, const char* summary, auto read) {
    router.add(net::Method::kPost, path,
               with_json([&queue, read](const net::Request& request, const Json& body) {
                 return answer(queue, request, read(body));
               }),
               {.summary = summary, .group = "policy", .request = json_schema<SamplingFields>()});
  };
  post("/v1/chat/completions", "The policy's next message", read_chat);
  post("/v1/completions", "What the policy writes after a prompt", read_completions);
  router.add(
      net::Method::kGet, "/v1/models",
      [&queue](const net::Request&) -> net::Answer {
        const Json model{{"id", queue.name()}, {"object", "model"}, {"owned_by", "redqueen"}};
        return net::json_response(Json{{"object", "list"}, {"data", Json::array({model})}});
      },
      {.summary = "The policy that is served", .group = "policy"});
  if (queue.can_load()) add_load_route(router, queue);
  if (queue.tokenizer() != nullptr) add_token_routes(router, *queue.tokenizer());
}

}  // namespace redqueen::serve
