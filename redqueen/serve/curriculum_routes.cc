#include "redqueen/core/batch.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/curricula.h"
#include "redqueen/serve/known_fields.h"
#include "redqueen/serve/routes.h"
#include "redqueen/serve/score_body.h"
#include "redqueen/suites/split.h"

namespace redqueen::serve {
namespace {

struct CountFields {
  std::optional<int> count;
  std::optional<std::string> prompt;
  std::optional<std::string> client;
  std::optional<std::int64_t> sequence;
  REDQUEEN_FIELDS(count, prompt, client, sequence)
};

struct LearnFields {
  std::optional<std::string> client;
  std::optional<std::int64_t> sequence;
  std::optional<bool> end_step;
  REDQUEEN_FIELDS(client, sequence, end_step)
};

struct Outcome {
  std::string address;
  bool solved = false;
  REDQUEEN_FIELDS(address, solved)
};

// What became of problems that were scored elsewhere: on another replica, or turn by turn.
struct OutcomeFields {
  std::vector<Outcome> items;
  std::optional<std::string> client;
  std::optional<std::int64_t> sequence;
  std::optional<bool> end_step;
  REDQUEEN_FIELDS(items, client, sequence, end_step)
};

net::Response create(CurriculumBook& book, const Json& body) {
  const auto id = body.find("id");
  if (id == body.end() || !id->is_string())
    return net::error_response(422, "\"id\": missing, or not a string");
  const auto settings = read_known_fields<CurriculumSettings>(body, {"id"});
  if (!settings) return net::error_response(settings.error());
  if (const Status made = book.create(*id, *settings); !made)
    return net::error_response(made.error());
  return response_of(book.describe(*id));
}

Expected<std::optional<Receipt>> receipt_of(const std::optional<std::string>& client,
                                            const std::optional<std::int64_t>& sequence) {
  if (client.has_value() != sequence.has_value())
    return usage_error("\"client\" and \"sequence\" go together");
  if (!client) return std::optional<Receipt>();
  return std::optional<Receipt>({*client, *sequence});
}

net::Response draw(const Service& service, CurriculumBook& book, const std::string& id,
                   const CountFields& fields) {
  const int count = fields.count.value_or(1);
  if (count < 1 || static_cast<std::size_t>(count) > service.limits().batch)
    return net::error_response(422, fmt::format("\"count\": from 1 to {}", service.limits().batch));
  const auto format = PromptFormat::parse(fields.prompt.value_or("plain"));
  if (!format) return net::error_response(422, format.error().message);
  const auto receipt = receipt_of(fields.client, fields.sequence);
  if (!receipt) return net::error_response(receipt.error());
  const auto addresses = book.draw(id, count, *receipt);
  if (!addresses) return net::error_response(addresses.error());
  std::vector<ProblemRequest> requests;
  for (const ProblemAddress& address : *addresses)
    requests.push_back(
        {*service.find(address.environment), address.level, address.seed, address.salt});
  const auto made =
      generate_all(requests, {.limits = {.seconds = service.limits().problem_seconds}});
  Json rows = Json::array();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const ProblemAddress& address = (*addresses)[i];
    Json row{{"address", address.to_string()},
             {"environment", address.environment},
             {"level", address.level},
             {"seed", address.seed},
             {"split", split_of(address.salt)}};
    if (made[i]) {
      row["prompt"] = format->render((*made[i])->prompt());
    } else {
      row["error"] = generation_error(address, made[i].error()).message;
    }
    rows.push_back(std::move(row));
  }
  return net::json_response(Json{{"problems", std::move(rows)}});
}

// Scores as /v1/score does, and learns from the verdicts.
net::Response learn(const Service& service, CurriculumBook& book, const std::string& id,
                    std::string_view text) {
  const auto body = read_score_body_slowly(text, service);
  if (!body) return net::error_response(body.error());
  const auto fields = read_fields<LearnFields>(body->json);
  if (!fields) return net::error_response(fields.error());
  const auto receipt = receipt_of(fields->client, fields->sequence);
  if (!receipt) return net::error_response(receipt.error());
  const auto verdicts = score_responses(body->rows, body->options);
  std::vector<ScoredProblem> problems;
  Json list = Json::array();
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    list.push_back(verdict_row(verdicts[i]));
    if (!verdicts[i]) continue;
    if (const auto* address = std::get_if<ProblemAddress>(&body->rows[i].problem->from))
      problems.push_back({*address, verdicts[i]->solved});
  }
  return response_of(
      book.learn(id, problems, fields->end_step.value_or(true), *receipt, std::move(list)));
}

net::Response learn_outcomes(const Service& service, CurriculumBook& book, const std::string& id,
                             const OutcomeFields& fields) {
  const auto receipt = receipt_of(fields.client, fields.sequence);
  if (!receipt) return net::error_response(receipt.error());
  if (fields.items.size() > service.limits().batch)
    return net::error_response(422, fmt::format("\"items\": at most {}", service.limits().batch));
  std::vector<ScoredProblem> problems;
  for (const Outcome& outcome : fields.items) {
    const auto address = ProblemAddress::parse(outcome.address);
    if (!address) return net::error_response(422, address.error().message);
    problems.push_back({*address, outcome.solved});
  }
  return response_of(
      book.learn(id, problems, fields.end_step.value_or(true), *receipt, Json::array()));
}

// The state whenever it has changed, as server-sent events.
net::Stream watch(const std::shared_ptr<CurriculumBook>& book, const std::string& id) {
  return {.next = [book, id, last = std::string()]() mutable -> std::optional<std::string> {
    const auto state = book->describe(id);
    if (!state) return std::nullopt;
    std::string text = dump_json(*state);
    if (text == last) return "";
    last = text;
    return fmt::format("event: curriculum\ndata: {}\n\n", text);
  }};
}

}  // namespace

Status add_curriculum_routes(net::Router& router, const Service& service,
                             const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(auto opened, CurriculumBook::open(file, service));
  const std::shared_ptr<CurriculumBook> book = std::move(opened);
  const auto id_of = [](const net::Request& request) { return std::string(request.part("id")); };
  const auto add = [&router](net::Method method, const char* path, const char* summary,
                             net::Handler handler, Json schema = nullptr,
                             net::Access access = net::Access::kUser) {
    router.add(
        method, path, std::move(handler),
        {.access = access, .summary = summary, .group = "curricula", .request = std::move(schema)});
  };
  add(net::Method::kPost, "/v1/curricula", "Makes a curriculum: {\"id\", \"suite\", …}",
      with_json([book](const net::Request&, Json body) -> net::Answer {
        return net::Later([book, body = std::move(body)] { return create(*book, body); });
      }),
      json_schema<CurriculumSettings>(), net::Access::kAdmin);
  add(net::Method::kGet, "/v1/curricula", "All curricula",
      net::on_worker([book](const net::Request&) {
        const auto ids = book->ids();
        return ids ? net::json_response(Json{{"curricula", *ids}})
                   : net::error_response(ids.error());
      }));
  add(net::Method::kGet, "/v1/curricula/{id}", "Where a curriculum stands",
      net::on_worker([book, id_of](const net::Request& request) {
        return response_of(book->describe(id_of(request)));
      }));
  add(net::Method::kGet, "/v1/curricula/{id}/events",
      "The same, whenever it changes, as server-sent events",
      [book, id_of](const net::Request& request) -> net::Answer {
        return watch(book, id_of(request));
      });
  add(net::Method::kPost, "/v1/curricula/{id}/problems", "Draws problems",
      with_known_fields<CountFields>(
          [&service, book, id_of](const net::Request& request,
                                  const CountFields& fields) -> net::Answer {
            return net::Later([&service, book, id = id_of(request), fields] {
              return draw(service, *book, id, fields);
            });
          }),
      json_schema<CountFields>());
  add(net::Method::kPost, "/v1/curricula/{id}/scores", "Scores responses and learns from them",
      net::on_worker([&service, book, id_of](const net::Request& request) {
        return learn(service, *book, id_of(request), request.body);
      }),
      json_schema<LearnFields>());
  add(net::Method::kPost, "/v1/curricula/{id}/outcomes",
      "Learns from problems that were scored elsewhere: {\"items\": [{\"address\", \"solved\"}]}",
      with_known_fields<OutcomeFields>(
          [&service, book, id_of](const net::Request& request,
                                  OutcomeFields fields) -> net::Answer {
            return net::Later([&service, book, id = id_of(request), fields = std::move(fields)] {
              return learn_outcomes(service, *book, id, fields);
            });
          }),
      json_schema<OutcomeFields>());
  return {};
}

}  // namespace redqueen::serve
