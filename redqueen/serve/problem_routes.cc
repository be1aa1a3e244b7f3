#include <algorithm>
#include <charconv>

#include "redqueen/base/rng.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/known_fields.h"
#include "redqueen/serve/routes.h"
#include "redqueen/suites/split.h"

namespace redqueen::serve {
namespace {

struct ProblemsQuery {
  std::optional<std::string> address;
  std::optional<std::vector<std::string>> addresses;
  std::optional<std::string> environment;
  std::optional<std::string> suite;
  std::optional<int> level;
  std::optional<std::vector<int>> levels;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> first;  // so many of them are left out: the pages of a long list
  std::optional<std::string> split;
  std::optional<std::string> prompt;
  std::optional<bool> references;
  std::optional<bool> details;
  REDQUEEN_FIELDS(address, addresses, environment, suite, level, levels, seed, count, first, split,
                  prompt, references, details)
};

using Addresses = std::vector<ProblemAddress>;

// The problems that a query names, made or not. Those of a suite go round its environments first,
// then its levels, then the seeds. Where the suite has weights, each problem's environment is drawn
// by them instead, levels go round, and no two problems have one seed.
class Selection {
 public:
  static Expected<Selection> of(const ProblemsQuery& query, const Service& service) {
    Selection selection;
    if (query.address || query.addresses) {
      for (const std::string& text : query.addresses.value_or(std::vector<std::string>{})) {
        ASSIGN_OR_RETURN(auto address, service.locate({.address = text}));
        selection.listed_.push_back(std::move(address));
      }
      if (query.address) {
        ASSIGN_OR_RETURN(auto address, service.locate({.address = query.address}));
        selection.listed_.push_back(std::move(address));
      }
      selection.count_ = selection.listed_.size();
      return selection;
    }
    const auto& name = query.suite ? query.suite : query.environment;
    if (!name) return usage_error(R"(name an "environment", a "suite", or "addresses")");
    ASSIGN_OR_RETURN(selection.suite_, service.suite(*name));
    selection.levels_ = query.levels.value_or(std::vector{query.level.value_or(0)});
    if (selection.levels_.empty()) return usage_error("\"levels\": at least one is needed");
    // Checks level and split, and knows the salt.
    for (const int level : selection.levels_) {
      const std::string first(selection.suite_.environments.front()->name());
      ASSIGN_OR_RETURN(
          const auto address,
          service.locate({.environment = first, .level = level, .split = query.split}));
      selection.salt_ = address.salt;
    }
    selection.seed_ = query.seed.value_or(0);
    selection.count_ = query.count.value_or(1);
    selection.first_ = query.first.value_or(0);
    return selection;
  }

  std::uint64_t count() const { return count_; }

  ProblemAddress operator[](std::uint64_t i) const {
    if (!listed_.empty()) return listed_[i];
    i += first_;
    const auto& environments = suite_.environments;
    if (!suite_.weights.empty()) {
      Rng rng({.seed = seed_, .purpose = hash_name("problems of a weighted suite"), .index = i});
      const Environment& drawn = *environments[rng.weighted(suite_.weights)];
      return drawn.address(levels_[i % levels_.size()], seed_ + i, salt_);
    }
    const Environment& environment = *environments[i % environments.size()];
    const std::uint64_t round = i / environments.size();
    const int level = levels_[round % levels_.size()];
    return environment.address(level, seed_ + round / levels_.size(), salt_);
  }

 private:
  Addresses listed_;
  WeightedEnvironments suite_;
  std::vector<int> levels_;
  std::uint64_t seed_ = 0;
  std::uint64_t salt_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;
};

struct Shown {
  PromptFormat format;
  bool references = false;
  bool details = false;
};

// What an episode of the problem begins with, for those who bring it before a policy themselves.
void add_details(const Problem& problem, const PromptFormat& format, Json& row) {
  Json begun = to_json(problem.start({.format = format})->begin());
  row["statement"] = problem.prompt();
  row["messages"] = std::move(begun["messages"]);
  row["tools"] = std::move(begun["tools"]);
  row["max_turns"] = problem.max_turns();
}

void add_problem(const Problem& problem, const Shown& shown, Json& row) {
  row["prompt"] = shown.format.render(problem.prompt());
  if (shown.details) add_details(problem, shown.format, row);
  if (shown.references) {
    row["parameter"] = problem.parameter();
    row["reference"] = problem.reference();
  }
}

// Neither parameter nor reference: what goes to a policy's side tells no answer.
Json problem_json(const ProblemAddress& address, const Generated& made, const Shown& shown) {
  Json row{{"address", address.to_string()},
           {"environment", address.environment},
           {"level", address.level},
           {"seed", address.seed},
           {"split", split_of(address.salt)}};
  if (!made) {
    row["error"] = generation_error(address, made.error()).message;
    return row;
  }
  add_problem(**made, shown, row);
  return row;
}

std::vector<Json> make_rows(const Service& service, const Selection& selection, const Shown& shown,
                            std::uint64_t first, std::uint64_t last, int threads) {
  std::vector<ProblemRequest> requests;
  Addresses addresses;
  for (std::uint64_t i = first; i < last; ++i) {
    ProblemAddress address = selection[i];
    const auto environment = service.find(address.environment);
    requests.push_back({*environment, address.level, address.seed, address.salt});
    addresses.push_back(std::move(address));
  }
  const auto made = generate_all(
      requests, {.threads = threads, .limits = {.seconds = service.limits().problem_seconds}});
  std::vector<Json> rows;
  for (std::size_t i = 0; i < made.size(); ++i)
    rows.push_back(problem_json(addresses[i], made[i], shown));
  return rows;
}

Expected<Shown> shown_of(const ProblemsQuery& query, bool is_admin) {
  auto format = PromptFormat::parse(query.prompt.value_or("plain"));
  if (!format) return usage_error("{}", format.error().message);
  const bool references = query.references.value_or(false);
  if (references && !is_admin)
    return usage_error("\"references\": only with the administrator's token");
  return Shown{.format = std::move(*format),
               .references = references,
               .details = query.details.value_or(false)};
}

// The problem of an environment and a parameter, which has no address.
net::Answer restored(const Service& service, const net::Request& request,
                     const ProblemsQuery& query, Json parameter) {
  if (!query.environment || query.address || query.addresses || query.suite)
    return net::error_response(422, R"("parameter": goes with an "environment" alone)");
  const auto environment = service.find(*query.environment);
  if (!environment) return net::error_response(environment.error());
  auto shown = shown_of(query, request.is_admin);
  if (!shown) return net::error_response(shown.error());
  return net::Later(
      [environment = *environment, shown = std::move(*shown), parameter = std::move(parameter)] {
        const auto problem = environment->restore(parameter);
        if (!problem) return net::error_response(422, problem.error().message);
        Json row{{"environment", environment->name()}};
        add_problem(**problem, shown, row);
        return net::json_response(Json{{"problems", Json::array({std::move(row)})}});
      });
}

net::Answer problems(const Service& service, const net::Request& request,
                     const ProblemsQuery& query) {
  auto selection = Selection::of(query, service);
  if (!selection) return net::error_response(selection.error());
  auto shown = shown_of(query, request.is_admin);
  if (!shown) return net::error_response(shown.error());
  const std::uint64_t count = selection->count();
  if (count > service.limits().batch) {
    return net::error_response(422, fmt::format("\"count\": at most {} problems at once; more: GET "
                                                "/v1/environments/NAME/problems",
                                                service.limits().batch));
  }
  return net::Later(
      [&service, selection = std::move(*selection), shown = std::move(*shown), count] {
        Json list = make_rows(service, selection, shown, 0, count, count < 64 ? 1 : 0);
        return net::json_response(Json{{"problems", std::move(list)}});
      });
}

template <typename Number>
Status read_number(const net::Request& request, const char* name, std::optional<Number>& number) {
  const auto text = request.query_value(name);
  if (!text) return {};
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number.emplace());
  if (error != std::errc() || rest != end)
    return usage_error(R"("{}": expected a number, found "{}")", name, *text);
  return {};
}

// The names of a query's values, in an object.
Json names_of_query(std::string_view query) {
  Json names = Json::object();
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    if (!part.empty()) names[std::string(part.substr(0, part.find('=')))] = nullptr;
    query.remove_prefix(std::min(part.size() + 1, query.size()));
  }
  return names;
}

Expected<ProblemsQuery> query_of(const net::Request& request) {
  RETURN_IF_ERROR(
      check_keys(names_of_query(request.query),
                 {"level", "seed", "count", "first", "split", "prompt", "references", "token"}));
  ProblemsQuery query{.environment = std::string(request.part("name")),
                      .split = request.query_value("split"),
                      .prompt = request.query_value("prompt")};
  RETURN_IF_ERROR(read_number(request, "level", query.level));
  RETURN_IF_ERROR(read_number(request, "seed", query.seed));
  RETURN_IF_ERROR(read_number(request, "count", query.count));
  RETURN_IF_ERROR(read_number(request, "first", query.first));
  query.references = request.query_value("references") == "true";
  return query;
}

// A data set as JSON lines, as many as are asked for: made as they are sent.
net::Answer problem_lines(const Service& service, const net::Request& request) {
  auto query = query_of(request);
  if (!query) return net::error_response(query.error());
  auto selection = Selection::of(*query, service);
  if (!selection) return net::error_response(selection.error());
  auto shown = shown_of(*query, request.is_admin);
  if (!shown) return net::error_response(shown.error());
  return net::Stream{
      .content_type = "application/x-ndjson",
      .next = [&service, selection = std::move(*selection), shown = std::move(*shown),
               done = std::uint64_t{0}]() mutable -> std::optional<std::string> {
        constexpr std::uint64_t kAtOnce = 64;
        const std::uint64_t last = std::min(selection.count(), done + kAtOnce);
        if (done == last) return std::nullopt;
        std::string lines;
        for (const Json& row : make_rows(service, selection, shown, done, last, 1))
          lines += dump_json(row) + '\n';
        done = last;
        return lines;
      }};
}

Json problems_schema() {
  Json schema = json_schema<ProblemsQuery>();
  schema["properties"]["parameter"] = {{"type", "object"}};
  return schema;
}

}  // namespace

void add_problem_routes(net::Router& router, const Service& service) {
  router.add(net::Method::kPost, "/v1/problems",
             with_json([&service](const net::Request& request, Json body) -> net::Answer {
               auto query = read_known_fields<ProblemsQuery>(body, {"parameter"});
               if (!query) return net::error_response(query.error());
               if (const auto parameter = body.find("parameter"); parameter != body.end())
                 return restored(service, request, *query, std::move(*parameter));
               return problems(service, request, *query);
             }),
             {.summary = "Problems by address or parameter, or of an environment or a suite",
              .group = "problems",
              .request = problems_schema()});
  router.add(net::Method::kGet, "/v1/environments/{name}/problems",
             [&service](const net::Request& request) { return problem_lines(service, request); },
             {.summary = "A data set as JSON lines: ?level=&seed=&count=&first=&split=&prompt=",
              .group = "problems"});
}

}  // namespace redqueen::serve
