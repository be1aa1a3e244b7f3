// NeMo Gym 0.7: a resources server, in its own style and in gymnasium's.
#include <simdjson.h>

#include <map>

#include "redqueen/base/format.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"
#include "redqueen/serve/session_book.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // bounds a thread's parser
constexpr std::string_view kCookie = "redqueen_session";

void set_cookie(const std::string& session, net::Response& response) {
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; HttpOnly; Path=/; SameSite=Lax", kCookie, session));
}

// Its clients take a seed without a cookie for a failure. Where no state hangs on the cookie, the
// name that a client came with is as good as a new one.
void set_cookie(const net::Request& request, net::Response& response) {
  const std::string session(request.cookie(kCookie));
  const bool is_plain =
      !session.empty() && session.size() <= 64 && std::ranges::all_of(session, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      });
  set_cookie(is_plain ? session : random_id(), response);
}

// What the assistant said: the texts of the output's messages, one after another.
std::string said(const simdjson::dom::element& response) {
  std::string text;
  simdjson::dom::array output;
  if (response["output"].get(output)) return text;
  for (const simdjson::dom::element item : output) {
    std::string_view part;
    if (item["type"].get(part) || part != "message") continue;
    if (!item["content"].get(part)) {
      text += part;
      continue;
    }
    simdjson::dom::array content;
    if (item["content"].get(content)) continue;
    for (const simdjson::dom::element piece : content) {
      if (piece["type"].get(part) || part != "output_text") continue;
      if (!piece["text"].get(part)) text += part;
    }
  }
  return text;
}

// The calls of tools among the output's items. Arguments that are no JSON are none.
std::vector<ToolCall> calls_of(const simdjson::dom::element& response) {
  std::vector<ToolCall> calls;
  simdjson::dom::array output;
  if (response["output"].get(output)) return calls;
  for (const simdjson::dom::element item : output) {
    std::string_view type;
    std::string_view name;
    std::string_view id;
    std::string_view text;
    if (item["type"].get(type) || type != "function_call") continue;
    if (item["name"].get(name) || item["call_id"].get(id)) continue;
    ToolCall call{.id = std::string(id), .name = std::string(name)};
    if (!item["arguments"].get(text)) {
      if (auto arguments = read_json(text)) call.arguments = std::move(*arguments);
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

ProblemName name_of(const simdjson::dom::element& row) {
  ProblemName name;
  std::string_view text;
  std::int64_t level = 0;
  std::uint64_t number = 0;
  if (!row["address"].get(text)) name.address = text;
  if (!row["environment"].get(text)) name.environment = text;
  if (!row["split"].get(text)) name.split = text;
  if (!row["level"].get(level) && std::in_range<int>(level)) name.level = static_cast<int>(level);
  if (!row["seed"].get(number)) name.seed = number;
  return name;
}

// A row with the assistant's response.
struct Spoken {
  ProblemName name;
  Action action;
  std::string step;         // names this step where the client may send it again
  bool has_reward = false;  // already, of another judge
};

Expected<Spoken> read_spoken(std::string_view body) {
  if (body.size() > kMostBytes) return usage_error("a row has {} bytes at most", kMostBytes);
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element row;
  if (const auto error = parser.parse(body.data(), body.size(), false).get(row))
    return usage_error("invalid JSON: {}", simdjson::error_message(error));
  simdjson::dom::element response;
  if (!row.is_object()) return usage_error("expected a JSON object");
  if (row["response"].get(response)) return usage_error("\"response\": missing");
  if (row["responses_create_params"].error())
    return usage_error("\"responses_create_params\": missing");
  Spoken spoken{.name = name_of(row),
                .action = {said(response), calls_of(response)},
                .has_reward = !row["reward"].error()};
  std::string_view step;
  if (!row["_ng_step_request_id"].get(step)) spoken.step = step;
  if (!spoken.name.address && !spoken.name.environment)
    return usage_error("\"address\": missing, or not a string");
  return spoken;
}

Expected<Verdict> judge(const Service& service, const ProblemAddress& address,
                        const std::string& text) {
  ASSIGN_OR_RETURN(const auto made, service.make(address));
  return score_completion(*made.problem, text, plain_format(), service.limits().response_bytes);
}

// The row as it came, and the reward behind it: no copy of the row is made that could differ.
net::Response verified(std::string_view row, const Verdict& verdict) {
  net::Response response;
  row = row.substr(0, row.rfind('}'));
  response.body.reserve(row.size() + 160);
  response.body = row;
  const std::string reward = dump_json(Json(verdict.reward));
  append_format(response.body,
                R"(,"reward":{},"solved":{:.1f},"well_formed":{:.1f},"mask_sample":false,)"
                R"("failure_kind":null,"failure_reason":null}})",
                reward, verdict.solved ? 1.0 : 0.0, verdict.well_formed ? 1.0 : 0.0);
  return response;
}

net::Answer verify(const Service& service, const net::Request& request) {
  const auto spoken = read_spoken(request.body);
  if (!spoken) return field_error({"body"}, spoken.error().message, "missing");
  if (spoken->has_reward) return field_error({"body", "reward"}, "this row has a reward already");
  const auto address = service.locate(spoken->name);
  if (!address) return net::error_response(address.error());
  return service.run(*address,
                     [&service, &request, address = *address, text = spoken->action.text] {
                       const auto verdict = judge(service, address, text);
                       if (!verdict) return net::error_response(verdict.error());
                       net::Response response = verified(request.body, *verdict);
                       set_cookie(request, response);
                       return response;
                     });
}

net::Response seed_session(const net::Request& request, const Json& body) {
  Json answer = Json::object();
  if (const auto id = body.find("resources_session_id"); id != body.end())
    answer = {
        {"resources_session_id", *id}, {"resources_tools", nullptr}, {"sandbox_access", nullptr}};
  net::Response response = net::json_response(answer);
  set_cookie(request, response);
  return response;
}

net::Response close_session(const net::Request& request, const Json& body) {
  const auto id = body.find("resources_session_id");
  net::Response response =
      net::json_response(Json{{"resources_session_id", id == body.end() ? Json(nullptr) : *id}});
  set_cookie(request, response);
  return response;
}

// The mean of every number of the rows; a row without it counts as 0.
net::Answer aggregate_metrics(const Json& body) {
  const auto rows = body.find("verify_responses");
  if (rows == body.end() || !rows->is_array())
    return field_error({"body", "verify_responses"}, "Field required", "missing");
  std::map<std::string, double> sums;
  for (const Json& row : *rows) {
    if (!row.is_object()) continue;
    for (const auto& [key, value] : row.items())
      if (value.is_number() && !key.starts_with('_')) sums[key] += value.get<double>();
  }
  Json means = Json::object();
  for (const auto& [key, sum] : sums)
    means["mean/" + key] = sum / static_cast<double>(rows->size());
  const double reward = means.contains("mean/reward") ? means["mean/reward"].get<double>() : 0.0;
  return net::json_response(Json{{"group_level_metrics", Json::array()},
                                 {"agent_metrics", std::move(means)},
                                 {"key_metrics", {{"mean/reward", reward}}},
                                 {"perf_summary", nullptr},
                                 {"repeat_level_metrics", Json::array()}});
}

// ------------------------------------------------------------------------------------------------
// Gymnasium style

// What the model reads; answers to its calls go another way (info.tool_outputs).
std::string shown(const Observation& observation) {
  std::string text;
  for (const Message& message : observation.messages) {
    if (message.role == "tool") continue;
    if (!text.empty()) text += "\n\n";
    text += message.content;
  }
  return text;
}

Json stepped(const LiveEpisode& live) {
  Json info{{"address", live.record.problem.to_string()}};
  Json outputs = Json::array();
  for (const Message& message : live.last.messages) {
    if (message.role == "tool")
      outputs.push_back({{"call_id", message.tool_call_id}, {"output", message.content}});
  }
  if (!outputs.empty()) info["tool_outputs"] = std::move(outputs);
  if (live.last.done()) info["solved"] = live.episode->verdict().solved;
  const std::string text = shown(live.last);
  return {{"observation", text.empty() ? Json(nullptr) : Json(text)},
          {"reward", live.last.reward},
          {"terminated", live.last.terminated},
          {"truncated", live.last.truncated},
          {"info", std::move(info)}};
}

// The tools of a world in the form of a row's `responses_create_params.tools`.
Json tools_json(const std::vector<ToolSpec>& tools) {
  Json list = Json::array();
  for (const ToolSpec& tool : tools) {
    list.push_back({{"type", "function"},
                    {"name", tool.name},
                    {"description", tool.description},
                    {"parameters", tool.parameters},
                    {"strict", false}});
  }
  return list;
}

// An episode of several turns is remembered under its cookie; a problem of one turn needs none.
net::Response begun(const Service& service, SessionBook& sessions, const net::Request& request,
                    const ProblemAddress& address) {
  auto live = EpisodeBook(service).open(
      address, {.format = plain_format(), .max_response_bytes = service.limits().response_bytes});
  if (!live) return net::error_response(live.error());
  const bool is_long = live->made.problem->max_turns() > 1;
  Json info{{"address", address.to_string()}, {"supports_explicit_close", is_long}};
  if (is_long) {
    info["supports_step_idempotency"] = true;
    info["tools"] = tools_json(live->last.tools);
  }
  net::Response response =
      net::json_response(Json{{"observation", shown(live->last)}, {"info", std::move(info)}});
  if (!is_long) {
    set_cookie(request, response);
    return response;
  }
  const std::string id = random_id();
  if (!sessions.open(id, std::move(*live))) {
    net::Response full = net::error_response(503, "too many sessions");
    full.headers.emplace_back("Retry-After", "5");
    return full;
  }
  set_cookie(id, response);
  return response;
}

net::Response step_session(EpisodeSession& session, const Spoken& spoken) {
  const std::scoped_lock lock(session.mutex);
  if (!spoken.step.empty()) {
    if (const Json* known = session.known_outcome(spoken.step)) return net::json_response(*known);
  }
  LiveEpisode& live = session.live;
  if (live.last.done()) return net::error_response(409, "this episode has ended: reset first");
  live.last = live.episode->step(spoken.action);
  live.record.actions.push_back(spoken.action);
  const Json outcome = stepped(live);
  if (!spoken.step.empty()) session.remember(spoken.step, outcome);
  return net::json_response(outcome);
}

// A step without a session: the whole of an episode of one turn.
net::Response step_alone(const Service& service, const ProblemAddress& address,
                         const Spoken& spoken) {
  auto live = EpisodeBook(service).open(
      address, {.format = plain_format(), .max_response_bytes = service.limits().response_bytes});
  if (!live) return net::error_response(live.error());
  if (live->made.problem->max_turns() > 1)
    return net::error_response(404, "there is no such session: it is over, or of another process");
  live->last = live->episode->step({.text = spoken.action.text, .tool_calls = {}});
  return net::json_response(stepped(*live));
}

}  // namespace

net::Answer NemoGymnasium::reset(const net::Request& request, const Json& body) const {
  const auto name = read_fields<ProblemName>(body);
  if (!name) return field_error({"body"}, name.error().message);
  const auto address = service_.locate(*name);
  if (!address) return net::error_response(address.error());
  return service_.run(*address, [this, &request, address = *address] {
    return begun(service_, *sessions_, request, address);
  });
}

net::Answer NemoGymnasium::step(const net::Request& request) const {
  const auto spoken = read_spoken(request.body);
  if (!spoken) return field_error({"body"}, spoken.error().message, "missing");
  if (auto session = sessions_->find(request.cookie(kCookie))) {
    return net::Later([&request, session, spoken = *spoken] {
      net::Response response = step_session(*session, spoken);
      set_cookie(request, response);
      return response;
    });
  }
  const auto address = service_.locate(spoken->name);
  if (!address) return net::error_response(address.error());
  return service_.run(*address, [this, &request, address = *address, spoken = *spoken] {
    net::Response response = step_alone(service_, address, spoken);
    set_cookie(request, response);
    return response;
  });
}

net::Response NemoGymnasium::close(const net::Request& request) const {
  sessions_->close(request.cookie(kCookie));
  return net::json_response(Json::object());
}

void add_nemo_gym_routes(net::Router& router, const Service& service,
                         const NemoGymnasium& gymnasium) {
  const auto post = [&router](const char* path, const char* summary, net::Handler handler) {
    router.add(net::Method::kPost, path, std::move(handler),
               {.summary = summary, .group = "NeMo Gym"});
  };
  post("/seed_session", "Begins a session",
       with_json([](const net::Request& request, const Json& body) -> net::Answer {
         return seed_session(request, body);
       }));
  post("/close_session", "Ends a session",
       with_json([](const net::Request& request, const Json& body) -> net::Answer {
         return close_session(request, body);
       }));
  post(
      "/close", "Ends an episode of several turns",
      [gymnasium](const net::Request& request) -> net::Answer { return gymnasium.close(request); });
  post("/verify", "The row with its reward",
       [&service](const net::Request& request) { return verify(service, request); });
  post("/aggregate_metrics", "Means over rows",
       with_json([](const net::Request&, const Json& body) { return aggregate_metrics(body); }));
  router.add(
      net::Method::kGet, "/reverify_mode",
      [](const net::Request&) -> net::Answer { return net::Response{.body = "\"stateless\""}; },
      {.summary = "Rows may be verified again", .group = "NeMo Gym"});
}

}  // namespace redqueen::serve
