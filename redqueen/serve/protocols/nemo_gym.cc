// NeMo Gym 0.7: a resources server, in its own style and in gymnasium's.
#include <simdjson.h>

#include <map>
#include <random>

#include "redqueen/core/batch.h"
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // bounds a thread's parser
constexpr std::string_view kCookie = "redqueen_session";

// Its clients take a seed without a cookie for a failure. No state hangs on the cookie, so the name
// that a client came with is as good as a new one.
void set_cookie(const net::Request& request, net::Response& response) {
  std::string session(request.cookie(kCookie));
  const bool is_plain =
      !session.empty() && session.size() <= 64 && std::ranges::all_of(session, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      });
  if (!is_plain) {
    thread_local std::random_device random;
    session = fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
  }
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; HttpOnly; Path=/; SameSite=Lax", kCookie, session));
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
  std::string text;
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
  Spoken spoken{.name = name_of(row), .text = said(response), .has_reward = !row["reward"].error()};
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
  fmt::format_to(std::back_inserter(response.body),
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
  return service.run(*address, [&service, &request, address = *address, text = spoken->text] {
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

}  // namespace

net::Answer nemo_gym_reset(const Service& service, const net::Request& request, const Json& body) {
  const auto name = read_fields<ProblemName>(body);
  if (!name) return field_error({"body"}, name.error().message);
  const auto address = service.locate(*name);
  if (!address) return net::error_response(address.error());
  return service.run(*address, [&service, &request, address = *address] {
    const auto made = service.make(address);
    if (!made) return net::error_response(made.error());
    net::Response response = net::json_response(
        Json{{"observation", plain_format().render(made->problem->prompt())},
             {"info", {{"address", address.to_string()}, {"supports_explicit_close", false}}}});
    set_cookie(request, response);
    return response;
  });
}

net::Answer nemo_gym_step(const Service& service, const net::Request& request, const Json&) {
  const auto spoken = read_spoken(request.body);
  if (!spoken) return field_error({"body"}, spoken.error().message, "missing");
  const auto address = service.locate(spoken->name);
  if (!address) return net::error_response(address.error());
  return service.run(*address, [&service, &request, address = *address, text = spoken->text] {
    const auto verdict = judge(service, address, text);
    if (!verdict) return net::error_response(verdict.error());
    net::Response response = net::json_response(Json{{"observation", nullptr},
                                                     {"reward", verdict->reward},
                                                     {"terminated", true},
                                                     {"truncated", false},
                                                     {"info", {{"solved", verdict->solved}}}});
    set_cookie(request, response);
    return response;
  });
}

void add_nemo_gym_routes(net::Router& router, const Service& service) {
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
