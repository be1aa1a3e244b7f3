#include <algorithm>
#include <set>

#include "redqueen/base/format.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/routes.h"
#include "redqueen/serve/score_body.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kQuickBytes = std::size_t{256} << 10;  // read on a thread of sockets

const ProblemAddress* address_of(const RowResponse& row) {
  return row.problem ? std::get_if<ProblemAddress>(&row.problem->from) : nullptr;
}

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
  double of_row = 0;
  const Environment* environment = nullptr;  // and level: what `of_row` is known of
  int level = 0;
  for (const RowResponse& row : body.rows) {
    if (!row.problem) continue;  // an error takes no time
    const ProblemAddress* address = address_of(row);
    if (address == nullptr) return false;
    if (row.problem->environment != environment || address->level != level) {
      environment = row.problem->environment;
      level = address->level;
      of_row = service.known_seconds(*environment, level);
    }
    seconds += of_row;
    if (seconds > Service::kQuickSeconds) return false;
  }
  return true;
}

// The environment and level of all rows; null where they differ, or where a row has no address.
const ProblemAddress* common_kind(const ScoreBody& body) {
  const ProblemAddress* first = body.rows.empty() ? nullptr : address_of(body.rows[0]);
  if (first == nullptr) return nullptr;
  const bool is_common = std::ranges::all_of(body.rows, [&](const RowResponse& row) {
    const ProblemAddress* address = address_of(row);
    return address != nullptr && address->level == first->level &&
           row.problem->environment == body.rows[0].problem->environment;
  });
  return is_common ? first : nullptr;
}

net::Response scored(const Service& service, ScoreBody& body, int threads) {
  body.options.threads = threads;
  const auto begun = std::chrono::steady_clock::now();
  const auto verdicts = score_responses(body.rows, body.options);
  if (const ProblemAddress* kind = threads == 1 ? common_kind(body) : nullptr) {
    const auto count = static_cast<std::int64_t>(verdicts.size());
    service.note(*body.rows[0].problem->environment, kind->level,
                 (std::chrono::steady_clock::now() - begun) / count);
  }
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
  std::optional<std::string> thoughts;
  REDQUEEN_FIELDS(address, environment, response, raw, marker, reading, thoughts)
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
