#include <chrono>
#include <memory>
#include <utility>

#include "redqueen/base/format.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/routes.h"
#include "redqueen/serve/score_body.h"
#include "redqueen/serve/score_costs.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kQuickBytes = std::size_t{256} << 10;  // read on a thread of sockets

// With a point, so that every reader takes it for a real number.
void append_reward(std::string& out, double reward) {
  if (reward == 1) {
    out += "1.0";
  } else if (reward == -1) {
    out += "-1.0";
  } else {
    const std::size_t begin = out.size();
    append_format(out, "{}", reward);
    if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
  }
}

void append_verdict(std::string& out, const Expected<Verdict>& verdict) {
  if (!verdict) {
    out += dump_json(Json{{"error", verdict.error().message}});
    return;
  }
  out += R"({"reward":)";
  append_reward(out, verdict->reward);
  out += verdict->solved ? R"(,"solved":true)" : R"(,"solved":false)";
  out += verdict->well_formed ? R"(,"well_formed":true})" : R"(,"well_formed":false})";
}

net::Response scored(const Service& service, ScoreBody& body, int threads) {
  body.options.threads = threads;
  const auto begun = std::chrono::steady_clock::now();
  const auto verdicts = score_responses(body.rows, body.options);
  if (threads == 1) note_costs(service, body, std::chrono::steady_clock::now() - begun);
  if (!body.is_batch) {
    if (!verdicts[0]) return net::error_response(422, verdicts[0].error().message);
    net::Response response;
    append_verdict(response.body, verdicts[0]);
    return response;
  }
  net::Response response;
  response.body.reserve(64 * verdicts.size() + 16);
  response.body = R"({"verdicts":[)";
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (i > 0) response.body += ',';
    append_verdict(response.body, verdicts[i]);
  }
  response.body += "]}";
  return response;
}

net::Response score_at_length(const Service& service, ScoreBody& body) {
  constexpr std::size_t kManyRows = 256;
  learn_costs(service, body);
  return scored(service, body, body.rows.size() < kManyRows ? 1 : 0);
}

// Reads the body once: on the thread of sockets, or, if it is long, on a worker. What is known to
// be quick is answered where it was read.
net::Answer score(const Service& service, const net::Request& request) {
  if (request.body.size() > kQuickBytes) {
    return net::Later([&service, &request] {
      auto body = read_score_body(request.body, service);
      return body ? score_at_length(service, *body) : net::error_response(body.error());
    });
  }
  auto body = read_score_body(request.body, service);
  if (!body) return net::error_response(body.error());
  if (is_quick(service, *body)) return scored(service, *body, 1);
  return net::Later([&service, kept = std::make_shared<ScoreBody>(std::move(*body))] {
    return score_at_length(service, *kept);
  });
}

struct ScoreFields {
  std::optional<std::string> address;
  std::optional<std::string> environment;
  std::optional<std::string> response;
  std::optional<bool> raw;
  std::optional<std::string> marker;
  std::optional<std::string> reading;
  REDQUEEN_FIELDS(address, environment, response, raw, marker, reading)
};

Json schema() {
  Json schema = json_schema<ScoreFields>();
  schema["properties"]["parameter"] = {{"type", "object"}};
  schema["properties"]["items"] = {{"type", "array"}, {"items", {{"type", "object"}}}};
  return schema;
}

}  // namespace

void add_score_routes(net::Router& router, const Service& service) {
  router.add(net::Method::kPost, "/v1/score",
             [&service](const net::Request& request) { return score(service, request); },
             {.summary = "The verdict on a response, or on each of \"items\"",
              .group = "scores",
              .request = schema()});
}

}  // namespace redqueen::serve
