// The Model Context Protocol (streamable HTTP without streams): problems, verdicts and
// episodes as tools. Nothing is remembered between calls. OpenEnv's clients ask the same path.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "redqueen/core/batch.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kNoSuchMethod = -32601;
constexpr int kInvalidParams = -32602;
constexpr std::size_t kMostMessages = 100;  // in one list

struct GetProblem {
  std::string environment;
  std::optional<int> level;
  std::optional<std::uint64_t> seed;
  REDQUEEN_FIELDS(environment, level, seed)
};

struct Submit {
  std::string address;
  std::string response;
  REDQUEEN_FIELDS(address, response)
};

struct OpenEpisode {
  std::string address;
  REDQUEEN_FIELDS(address)
};

struct StepEpisode {
  std::string episode;
  REDQUEEN_FIELDS(episode)
};

Expected<Json> get_problem(const Service& service, const GetProblem& asked) {
  ASSIGN_OR_RETURN(
      const auto address,
      service.locate({.environment = asked.environment, .level = asked.level, .seed = asked.seed}));
  ASSIGN_OR_RETURN(const auto made, service.make(address));
  return Json{{"address", address.to_string()},
              {"prompt", plain_format().render(made.problem->prompt())}};
}

Expected<Json> submit_response(const Service& service, const Submit& asked) {
  ASSIGN_OR_RETURN(const auto address, service.locate({.address = asked.address}));
  ASSIGN_OR_RETURN(const auto made, service.make(address));
  return verdict_json(score_completion(*made.problem, asked.response, plain_format(),
                                       service.limits().response_bytes));
}

Json told_json(const LiveEpisode& live) {
  Json observation = to_json(live.last);
  observation.erase("info");
  Json json{{"episode", token_of(live.record)},
            {"done", live.last.done()},
            {"observation", std::move(observation)}};
  if (live.last.done()) json["verdict"] = verdict_json(live.episode->verdict());
  return json;
}

Expected<Json> open_episode(const Service& service, const OpenEpisode& asked) {
  ASSIGN_OR_RETURN(const auto address, service.locate({.address = asked.address}));
  ASSIGN_OR_RETURN(
      const auto live,
      EpisodeBook(service).open(address, {.format = plain_format(),
                                          .max_response_bytes = service.limits().response_bytes}));
  return told_json(live);
}

Expected<Json> step_episode(const Service& service, const StepEpisode& asked, const Json& given) {
  const auto action = given.find("action");
  if (action == given.end()) return usage_error("\"action\": missing");
  ASSIGN_OR_RETURN(auto turn, action_from_json(*action));
  ASSIGN_OR_RETURN(auto live, EpisodeBook(service).take(asked.episode));
  if (live.last.done()) return usage_error("this episode has ended");
  live.last = live.episode->step(turn);
  live.record.actions.push_back(std::move(turn));
  return told_json(live);
}

Json tool_json(const ToolSpec& tool) {
  return {{"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.parameters}};
}

Json tools() {
  Json step = tool_json(tool<StepEpisode>("step_episode",
                                          "Takes a turn in an episode and gives its next token.",
                                          {{"episode", "The token of the turn before"}}));
  step["inputSchema"]["properties"]["action"] = {
      {"type", "object"},
      {"description", "{\"text\": …, \"tool_calls\": [{\"id\", \"name\", \"arguments\"}]}"}};
  step["inputSchema"]["required"].push_back("action");
  return Json::array(
      {tool_json(tool<GetProblem>("get_problem", "Makes a problem of an environment.",
                                  {{"level", "Difficulty, from 0"}})),
       tool_json(tool<Submit>("submit", "Gives the verdict on a response to a problem.",
                              {{"response", "All that was written, with the answer marked"}})),
       tool_json(tool<OpenEpisode>("open_episode", "Begins an episode of a problem.")), step});
}

template <HasFields Arguments, typename Call>
Expected<Json> with_arguments(const Json& given, Call call) {
  ASSIGN_OR_RETURN(const auto arguments, read_fields<Arguments>(given));
  return call(arguments);
}

Expected<Json> call_tool(const Service& service, const std::string& name, const Json& given) {
  if (name == "get_problem")
    return with_arguments<GetProblem>(given,
                                      [&](const auto& a) { return get_problem(service, a); });
  if (name == "submit")
    return with_arguments<Submit>(given,
                                  [&](const auto& a) { return submit_response(service, a); });
  if (name == "open_episode")
    return with_arguments<OpenEpisode>(given,
                                       [&](const auto& a) { return open_episode(service, a); });
  if (name == "step_episode") {
    return with_arguments<StepEpisode>(
        given, [&](const auto& a) { return step_episode(service, a, given); });
  }
  return usage_error("there is no tool \"{}\"", name);
}

Json result(const Json& id, Json value) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(value)}};
}

Json rpc_fault(const Json& id, int code, const std::string& message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

// A tool's own failure is a result that says so: the model reads it.
Json call_answer(const Service& service, const Json& id, const Json& params) {
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string())
    return rpc_fault(id, kInvalidParams, "\"name\": missing, or not a string");
  const auto given = params.find("arguments");
  const auto outcome = call_tool(service, *name, given == params.end() ? Json::object() : *given);
  Json content{{"type", "text"}, {"text", outcome ? dump_json(*outcome) : outcome.error().message}};
  Json value{{"content", Json::array({std::move(content)})}, {"isError", !outcome.has_value()}};
  if (outcome) value["structuredContent"] = *outcome;
  return result(id, std::move(value));
}

// The versions that are spoken here, the newest first.
constexpr std::array<std::string_view, 3> kVersions{"2025-06-18", "2025-03-26", "2024-11-05"};

bool is_spoken(std::string_view version) {
  return std::ranges::find(kVersions, version) != kVersions.end();
}

// A client that asks for a version which is not spoken here is offered the newest that is.
Json initialized(const Json& params) {
  const auto wanted = params.find("protocolVersion");
  const bool is_known = wanted != params.end() && wanted->is_string() &&
                        is_spoken(wanted->get_ref<const std::string&>());
  return {{"protocolVersion", is_known ? *wanted : Json(kVersions.front())},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "redqueen"}, {"version", "0.1.0"}}}};
}

bool is_request(const Json& message) {
  return message.is_object() && message.value("jsonrpc", Json()) == "2.0" &&
         message.contains("method") && message["method"].is_string();
}

// A client's answer to a request of the server, which never makes one: taken, and passed over.
bool is_response(const Json& message) {
  return message.is_object() && message.value("jsonrpc", Json()) == "2.0" &&
         !message.contains("method") && (message.contains("result") || message.contains("error"));
}

// The answer to one message; nullopt: a notification or a response has none.
std::optional<Json> reply_to(const Service& service, const Json& message) {
  if (is_response(message)) return std::nullopt;
  if (!is_request(message)) return rpc_fault(nullptr, kInvalidRequest, "Invalid request");
  const std::string method = message["method"];
  if (!message.contains("id")) return std::nullopt;
  const Json id = message["id"];
  const Json params = message.value("params", Json::object());
  if (!params.is_object()) return rpc_fault(id, kInvalidParams, "\"params\": expected an object");
  if (method == "initialize") return result(id, initialized(params));
  if (method == "ping") return result(id, Json::object());
  if (method == "tools/list") return result(id, Json{{"tools", tools()}});
  if (method == "tools/call") return call_answer(service, id, params);
  return rpc_fault(id, kNoSuchMethod, "Method not found: " + method);
}

// Messages in one list, as version 2025-03-26 has them.
net::Response answer_batch(const Service& service, const Json& messages) {
  Json replies = Json::array();
  for (const Json& message : messages) {
    if (auto reply = reply_to(service, message)) replies.push_back(std::move(*reply));
  }
  return replies.empty() ? net::Response{.status = 202} : net::json_response(replies);
}

net::Answer answer_message(const Service& service, const net::Request& request) {
  const std::string_view version = request.header("mcp-protocol-version");
  if (!version.empty() && !is_spoken(version)) {
    return net::error_response(400, fmt::format("MCP-Protocol-Version: {} is not among {}", version,
                                                fmt::join(kVersions, ", ")));
  }
  auto message = read_json(request.body);
  if (!message) return net::json_response(rpc_fault(nullptr, kParseError, message.error().message));
  if (message->is_array() && !message->empty() && version != kVersions.front()) {
    if (message->size() > kMostMessages)
      return net::json_response(rpc_fault(nullptr, kInvalidRequest, "too many messages at once"));
    return net::Later(
        [&service, messages = std::move(*message)] { return answer_batch(service, messages); });
  }
  const bool is_call =
      is_request(*message) && (*message)["method"] == "tools/call" && message->contains("id");
  if (!is_call) {
    auto reply = reply_to(service, *message);
    return reply ? net::json_response(*reply) : net::Response{.status = 202};
  }
  return net::Later([&service, call = std::move(*message)] {
    return net::json_response(*reply_to(service, call));
  });
}

}  // namespace

void add_mcp_routes(net::Router& router, const Service& service) {
  router.add(
      net::Method::kPost, "/mcp",
      [&service](const net::Request& request) { return answer_message(service, request); },
      {.summary = "Model Context Protocol: problems, verdicts, episodes", .group = "protocols"});
}

}  // namespace redqueen::serve
