#include <set>

#include "redqueen/core/format.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/routes.h"
#include "redqueen/serve/score_body.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kQuickBytes = std::size_t{256} << 10;  // read on a thread of sockets

const ProblemAddress* address_of(const RowResponse& row) {
  return row.problem ? std::get_if<ProblemAddress>(&row.problem->from) : nullptr;
}

// Rewards are written with a point, so that every reader takes them for real numbers.
void append_verdict(std::string& out, const Expected<Verdict>& verdict) {
  if (!verdict) {
    out += dump_json(Json{{"error", verdict.error().message}});
    return;
  }
  const std::string reward = fmt::format("{}", verdict->reward);
  const bool is_plain = reward.find_first_of(".e") == std::string::npos;
  append_format(out, R"({{"reward":{}{},"solved":{},"well_formed":{}}})", reward,
                is_plain ? ".0" : "", verdict->solved, verdict->well_formed);
}

// Measures kinds of problems of which nothing is known yet, so that the next request may be
// answered without a worker.
void learn_costs(const Service& service, const ScoreBody& body) {
  std::set<std::pair<const Environment*, int>> seen;
  for (const RowResponse& row : body.rows) {
    const ProblemAddress* address = address_of(row);
    if (address == nullptr) continue;
    const Environment& environment = *row.problem->environment;
    if (service.known_seconds(environment, address->level) < 1e9) continue;
    if (!seen.insert({&environment, address->level}).second) continue;
    const auto begun = std::chrono::steady_clock::now();
    const auto made = environment.generate(address->level, address->seed, address->salt,
                                           {.seconds = service.limits().problem_seconds});
    if (made) (void)(*made)->score("");
    service.note(environment, address->level, std::chrono::steady_clock::now() - begun);
  }
}

bool is_quick(const Service& service, const ScoreBody& body) {
  double seconds = 0;
  for (const RowResponse& row : body.rows) {
    if (!row.problem) continue;  // an error takes no time
    const ProblemAddress* address = address_of(row);
    if (address == nullptr) return false;
    seconds += service.known_seconds(*row.problem->environment, address->level);
    if (seconds > Service::kQuickSeconds) return false;
  }
  return true;
}

net::Response scored(const Service& service, ScoreBody& body, int threads) {
  body.options.threads = threads;
  const auto begun = std::chrono::steady_clock::now();
  const auto verdicts = score_responses(body.rows, body.options);
  if (!body.is_batch) {
    if (!verdicts[0]) return net::error_response(422, verdicts[0].error().message);
    if (const ProblemAddress* address = address_of(body.rows[0])) {
      service.note(*body.rows[0].problem->environment, address->level,
                   std::chrono::steady_clock::now() - begun);
    }
    net::Response response;
    append_verdict(response.body, verdicts[0]);
    return response;
  }
  net::Response response;
  response.body = R"({"verdicts":[)";
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (i > 0) response.body += ',';
    append_verdict(response.body, verdicts[i]);
  }
  response.body += "]}";
  return response;
}

net::Response score_on_worker(const Service& service, const net::Request& request) {
  auto body = read_score_body(request.body, service);
  if (!body) return net::error_response(body.error());
  learn_costs(service, *body);
  return scored(service, *body, body->rows.size() < 256 ? 1 : 0);
}

net::Answer score(const Service& service, const net::Request& request) {
  if (request.body.size() <= kQuickBytes) {
    auto body = read_score_body(request.body, service);
    if (!body) return net::error_response(body.error());
    if (is_quick(service, *body)) return scored(service, *body, 1);
  }
  return net::Later([&service, &request] { return score_on_worker(service, request); });
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
