// OpenEnv, as its servers and clients of 0.4 and 0.10 speak: core/env_server/http_server.py.
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kMostIdBytes = 255;

Json text_schema(const char* title) { return {{"type", "string"}, {"title", title}}; }

Json object_schema(const char* title, Json properties) {
  return {{"type", "object"},
          {"title", title},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

// What the model's side reads and writes. A title that OpenEnv has for classes of its own would
// make its clients take this for tool calls.
Json schemas() {
  const Json any_object{{"type", "object"}, {"additionalProperties", true}};
  const Json list{{"type", "array"}, {"items", any_object}};
  const Json flag{{"type", "boolean"}};
  const Json reward{{"type", Json::array({"number", "null"})}};
  Json action = object_schema(
      "Response",
      {{"response", {{"title", "Response"}, {"description", "All that the policy wrote"}}},
       {"tool_calls", list},
       {"metadata", any_object}});
  action["required"] = Json::array({"response"});
  Json reset = object_schema("Problem", {{"prompt", text_schema("Prompt")},
                                         {"address", text_schema("Address")},
                                         {"messages", list},
                                         {"tools", list},
                                         {"done", flag},
                                         {"reward", reward},
                                         {"metadata", any_object}});
  Json observation = object_schema("Verdict", {{"solved", flag},
                                               {"well_formed", flag},
                                               {"address", text_schema("Address")},
                                               {"messages", list},
                                               {"tools", list},
                                               {"done", flag},
                                               {"reward", reward},
                                               {"metadata", any_object}});
  Json state{{"type", "object"}, {"title", "State"}, {"additionalProperties", true}};
  state["properties"]["episode_id"] = {{"type", Json::array({"string", "null"})}};
  state["properties"]["step_count"] = {{"type", "integer"}, {"minimum", 0}};
  return {{"action", std::move(action)},
          {"observation", std::move(observation)},
          {"reset_observation", std::move(reset)},
          {"state", std::move(state)}};
}

template <typename Items>
Json list_json(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

// The answer to a reset.
Json shown_json(const LiveEpisode& live) {
  Json observation{{"prompt", live.last.messages.empty() ? "" : live.last.messages.back().content},
                   {"address", live.record.problem.to_string()}};
  if (live.made.problem->max_turns() > 1) {
    observation["messages"] = list_json(live.last.messages);
    observation["tools"] = list_json(live.last.tools);
  }
  return {{"observation", std::move(observation)}, {"reward", nullptr}, {"done", false}};
}

// The answer to a step.
Json judged_json(const LiveEpisode& live) {
  Json observation = Json::object();
  if (live.last.done()) {
    const Verdict verdict = live.episode->verdict();
    observation = {{"solved", verdict.solved}, {"well_formed", verdict.well_formed}};
  }
  observation["address"] = live.record.problem.to_string();
  if (live.made.problem->max_turns() > 1) {
    observation["messages"] = list_json(live.last.messages);
    if (!live.last.tools.empty()) observation["tools"] = list_json(live.last.tools);
  }
  return {{"observation", std::move(observation)},
          {"reward", live.last.reward},
          {"done", live.last.done()}};
}

Expected<LiveEpisode> opened(const Service& service, const ProblemAddress& address,
                             const std::optional<std::string>& prompt) {
  auto format = PromptFormat::parse(prompt.value_or("plain"));
  if (!format) return usage_error("{}", format.error().message);
  return EpisodeBook(service).open(
      address,
      {.format = std::move(*format), .max_response_bytes = service.limits().response_bytes});
}

Expected<Action> action_of(const Json& data) {
  Json action{{"text", text_of(data["response"])}};
  if (const auto calls = data.find("tool_calls"); calls != data.end())
    action["tool_calls"] = *calls;
  return action_from_json(action);
}

Json error_frame(const char* code, const std::string& message) {
  return {{"type", "error"}, {"data", {{"message", message}, {"code", code}}}};
}

Json invalid_frame(const char* place, const std::string& message, const char* type) {
  Json frame = error_frame("VALIDATION_ERROR", "Invalid message");
  frame["data"]["errors"] =
      Json::array({Json{{"type", type}, {"loc", Json::array({place})}, {"msg", message}}});
  return frame;
}

// What one connection to /ws plays.
class Session final : public net::SocketSession {
 public:
  explicit Session(const Service& service) : service_(service) {}

  Answer on_message(std::string_view message, bool is_binary) override {
    if (is_binary) return last(error_frame("SESSION_ERROR", "a frame is text"));
    auto frame = read_json(message);
    if (!frame) return said(error_frame("INVALID_JSON", "Invalid JSON: " + frame.error().message));
    if (!frame->is_object()) return last(error_frame("SESSION_ERROR", "a frame is an object"));
    const std::string type = frame->contains("type") && (*frame)["type"].is_string()
                                 ? (*frame)["type"].get<std::string>()
                                 : "";
    if (type == "close") return net::SocketAnswer{.texts = {}, .close = 1000};
    if (type == "state") return state(*frame);
    Json data = Json::object();
    if (const auto given = frame->find("data"); given != frame->end()) data = std::move(*given);
    if (type != "reset" && type != "step")
      return said(error_frame("UNKNOWN_TYPE", "Unknown message type: " + type));
    if (!data.is_object())
      return said(invalid_frame("data", "Input should be an object", "dict_type"));
    return type == "reset" ? reset(data) : step(data);
  }

 private:
  static Answer said(const Json& frame) {
    return net::SocketAnswer{.texts = {dump_json(frame)}, .close = std::nullopt};
  }
  static Answer last(const Json& frame) {
    return net::SocketAnswer{.texts = {dump_json(frame)}, .close = 1000};
  }
  static Json observation(Json data) {
    return {{"type", "observation"}, {"data", std::move(data)}};
  }

  // Runs `work`, which gives a frame, here or on a worker.
  template <typename Work>
  Answer run(const ProblemAddress& address, Work work) {
    const auto environment = service_.find(address.environment);
    if (environment && service_.is_quick(**environment, address.level)) return said(work());
    return std::function<net::SocketAnswer()>([this, address, work = std::move(work)]() mutable {
      const auto begun = std::chrono::steady_clock::now();
      const Json frame = work();
      if (const auto found = service_.find(address.environment))
        service_.note(**found, address.level, std::chrono::steady_clock::now() - begun);
      return net::SocketAnswer{.texts = {dump_json(frame)}, .close = std::nullopt};
    });
  }

  Answer reset(const Json& data) {
    const auto name = read_fields<ProblemName>(data);
    if (!name) return said(invalid_frame("data", name.error().message, "value_error"));
    const auto address = service_.locate(*name);
    if (!address) return said(error_frame("EXECUTION_ERROR", address.error().message));
    const auto id = data.find("episode_id");
    std::optional<std::string> episode_id;
    if (id != data.end() && id->is_string())
      episode_id = id->get<std::string>().substr(0, kMostIdBytes);
    return run(*address, [this, address = *address, prompt = name->prompt, episode_id] {
      auto live = opened(service_, address, prompt);
      if (!live) return error_frame("EXECUTION_ERROR", live.error().message);
      live_.reset();
      live_.emplace(std::move(*live));
      steps_ = 0;
      episode_id_ = episode_id.value_or(live_->record.problem.to_string());
      return observation(shown_json(*live_));
    });
  }

  Answer step(const Json& data) {
    if (!data.contains("response"))
      return said(invalid_frame("response", "Field required", "missing"));
    if (!live_) return said(error_frame("EXECUTION_ERROR", "there is no episode: reset first"));
    if (live_->last.done())
      return said(error_frame("EXECUTION_ERROR", "this episode has ended: reset first"));
    auto action = action_of(data);
    if (!action) return said(invalid_frame("tool_calls", action.error().message, "value_error"));
    return run(live_->record.problem, [this, action = std::move(*action)] {
      live_->last = live_->episode->step(action);
      ++steps_;
      return observation(judged_json(*live_));
    });
  }

  Answer state(const Json& frame) const {
    if (frame.contains("data"))
      return said(invalid_frame("data", "Extra inputs are not permitted", "extra_forbidden"));
    Json data{{"episode_id", live_ ? Json(episode_id_) : Json(nullptr)}, {"step_count", steps_}};
    if (live_) data["address"] = live_->record.problem.to_string();
    return said({{"type", "state"}, {"data", std::move(data)}});
  }

  const Service& service_;
  std::optional<LiveEpisode> live_;
  std::string episode_id_;
  int steps_ = 0;
};

net::Handler constant(const Json& body) {
  return [text = dump_json(body)](const net::Request&) -> net::Answer {
    return net::Response{.body = text};
  };
}

}  // namespace

net::Answer openenv_reset(const Service& service, const Json& body) {
  const auto id = body.find("episode_id");
  if (id != body.end() && id->is_string() &&
      id->get_ref<const std::string&>().size() > kMostIdBytes)
    return field_error({"body", "episode_id"}, "String should have at most 255 characters",
                       "string_too_long");
  const auto name = read_fields<ProblemName>(body);
  if (!name) return field_error({"body"}, name.error().message);
  const auto address = service.locate(*name);
  if (!address) return net::error_response(address.error());
  return service.run(*address, [&service, address = *address, prompt = name->prompt] {
    const auto live = opened(service, address, prompt);
    if (!live) return net::error_response(live.error());
    Json answer = shown_json(*live);
    answer["metadata"] = nullptr;
    return net::json_response(answer);
  });
}

// Over HTTP nothing is remembered, so a step says which problem it answers.
net::Answer openenv_step(const Service& service, const Json& body) {
  const auto action = body.find("action");
  if (action == body.end() || !action->is_object())
    return field_error({"body", "action"}, "Field required", "missing");
  if (!action->contains("response"))
    return field_error({"body", "action", "response"}, "Field required", "missing");
  const auto metadata = action->find("metadata");
  ProblemName name;
  if (metadata != action->end() && metadata->is_object() && metadata->contains("address") &&
      (*metadata)["address"].is_string())
    name.address = (*metadata)["address"].get<std::string>();
  if (!name.address)
    return field_error({"body", "action", "metadata", "address"},
                       "over HTTP a step names its problem's address; episodes live on /ws",
                       "missing");
  auto turn = action_of(*action);
  if (!turn) return field_error({"body", "action"}, turn.error().message);
  const auto address = service.locate(name);
  if (!address) return net::error_response(address.error());
  return service.run(*address, [&service, address = *address, turn = std::move(*turn)] {
    auto live = opened(service, address, std::nullopt);
    if (!live) return net::error_response(live.error());
    live->last = live->episode->step(turn);
    Json answer = judged_json(*live);
    answer["metadata"] = nullptr;
    return net::json_response(answer);
  });
}

void add_openenv_routes(net::Router& router, const Service& service) {
  const auto add = [&router](const char* path, const char* summary, const Json& body) {
    router.add(net::Method::kGet, path, constant(body), {.summary = summary, .group = "OpenEnv"});
  };
  router.add(
      net::Method::kGet, "/health", constant({{"status", "healthy"}}),
      {.access = net::Access::kOpen, .summary = "Is the process alive?", .group = "OpenEnv"});
  add("/schema", "What actions and observations look like", schemas());
  add("/state", "Over HTTP there is no state", {{"episode_id", nullptr}, {"step_count", 0}});
  add("/metadata", "What this server is",
      {{"name", "redqueen"},
       {"description", "Verifiable environments, made from addresses"},
       {"readme_content", nullptr},
       {"version", "0.1.0"},
       {"author", nullptr},
       {"documentation_url", nullptr}});
  router.add_socket("/ws",
                    [&service](const net::Request&) { return std::make_unique<Session>(service); },
                    {.summary = "OpenEnv's sessions", .group = "OpenEnv"});
}

}  // namespace redqueen::serve
