#include "redqueen/suites/rows.h"
#include "redqueen/suites/split.h"

#include <optional>
#include <utility>

#include "redqueen/core/parallel.h"

namespace redqueen {
namespace {

constexpr std::size_t kGrain = 16;  // rows that one thread reads at a time

// A row on its way to its verdict.
struct OpenRow {
  Json line;
  ProblemRow named;
  ProblemPtr problem;
  std::optional<Error> fault;

  bool is_made_again() const {
    return !fault && std::holds_alternative<ProblemAddress>(named.from);
  }
};

Status open(const std::string& text, const RowEnvironments& environments, OpenRow& row) {
  ASSIGN_OR_RETURN(row.line, parse_json(text));
  if (!row.line.is_object())
    return failure("expected a JSON object, found {}", row.line.type_name());
  ASSIGN_OR_RETURN(row.named, read_row(row.line, environments));
  if (!row.is_made_again()) {
    ASSIGN_OR_RETURN(row.problem, restore_row(row.named));
  }
  return {};
}

std::vector<OpenRow> open_all(std::span<const std::string> lines,
                              const RowEnvironments& environments, int threads) {
  std::vector<OpenRow> rows(lines.size());
  parallel_chunks(lines.size(), kGrain, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (Status opened = open(lines[i], environments, rows[i]); !opened)
        rows[i].fault = std::move(opened.error());
    }
  });
  return rows;
}

void make_problems(std::vector<OpenRow>& rows, int threads) {
  std::vector<ProblemRequest> requests;
  std::vector<OpenRow*> places;
  for (OpenRow& row : rows) {
    if (!row.is_made_again()) continue;
    const auto& address = std::get<ProblemAddress>(row.named.from);
    requests.push_back({row.named.environment, address.level, address.seed, address.salt});
    places.push_back(&row);
  }
  auto made = generate_all(requests, {.threads = threads});
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (made[k]) {
      places[k]->problem = std::move(*made[k]);
    } else {
      const auto& address = std::get<ProblemAddress>(places[k]->named.from);
      places[k]->fault = generation_error(address, made[k].error());
    }
  }
}

// nullopt: malformed.
std::optional<std::string_view> answer_of(std::string_view response, const RowOptions& options) {
  if (!options.raw) return extract_answer(response, options.marker, options.max_bytes);
  if (response.size() > options.max_bytes) return std::nullopt;
  return trim(response);
}

}  // namespace

Expected<const Environment*> RowEnvironments::get(std::string_view name) const {
  for (const Environment* environment : own) {
    if (environment->name() == name) return environment;
  }
  return registry.get(name);
}

Expected<ProblemRow> read_row(const Json& row, const RowEnvironments& environments) {
  if (row.contains("address") && row["address"].is_string()) {
    ASSIGN_OR_RETURN(auto address,
                     ProblemAddress::parse(row["address"].get_ref<const std::string&>()));
    ASSIGN_OR_RETURN(const Environment* environment, environments.get(address.environment));
    const int version = environment->card().version;
    if (version != address.version) {
      return failure("{} is of version {}, this is version {}: its problems may differ",
                     address.to_string(), address.version, version);
    }
    return ProblemRow{environment, std::move(address)};
  }
  const bool is_only = environments.own.size() == 1 && !row.contains("environment");
  if (!is_only && (!row.contains("environment") || !row["environment"].is_string()))
    return failure("\"environment\": missing, or not a string");
  if (!row.contains("parameter")) return failure(R"("parameter": missing (or give an "address"))");
  if (is_only) return ProblemRow{environments.own.front(), row["parameter"]};
  ASSIGN_OR_RETURN(const Environment* environment,
                   environments.get(row["environment"].get_ref<const std::string&>()));
  return ProblemRow{environment, row["parameter"]};
}

Expected<ProblemPtr> restore_row(const ProblemRow& row) {
  if (const Json* parameter = std::get_if<Json>(&row.from))
    return row.environment->restore(*parameter);
  const auto& address = std::get<ProblemAddress>(row.from);
  auto made = row.environment->generate(address.level, address.seed, address.salt);
  if (!made) return tl::make_unexpected(generation_error(address, made.error()));
  return std::move(*made);
}

std::vector<Expected<Verdict>> score_rows(std::span<const std::string> lines,
                                          const RowEnvironments& environments,
                                          const RowOptions& options) {
  std::vector<OpenRow> rows = open_all(lines, environments, options.threads);
  make_problems(rows, options.threads);
  std::vector<Expected<Verdict>> verdicts(rows.size());
  std::vector<AnswerRequest> requests;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto response =
        rows[i].line.is_object() ? rows[i].line.find("response") : rows[i].line.end();
    if (rows[i].fault) {
      verdicts[i] = tl::make_unexpected(std::move(*rows[i].fault));
    } else if (response == rows[i].line.end() || !response->is_string()) {
      verdicts[i] = failure("\"response\": missing, or not a string");
    } else if (auto answer = answer_of(response->get_ref<const std::string&>(), options)) {
      requests.push_back({rows[i].problem.get(), *answer});
      places.push_back(i);
    }
  }
  const std::vector<Verdict> scored =
      score_all(requests, {.threads = options.threads, .reading = options.reading});
  for (std::size_t k = 0; k < places.size(); ++k) verdicts[places[k]] = scored[k];
  return verdicts;
}

Json verdict_row(const Expected<Verdict>& verdict) {
  if (!verdict) return Json{{"error", verdict.error().message}};
  return Json{{"reward", verdict->reward},
              {"solved", verdict->solved},
              {"well_formed", verdict->well_formed}};
}

Json problem_row(const ProblemAddress& address, const Problem& problem,
                 const PromptFormat& format) {
  return Json{{"environment", address.environment},
              {"level", address.level},
              {"seed", address.seed},
              {"split", split_of(address.salt)},
              {"parameter", problem.parameter()},
              {"prompt", format.render(problem.prompt())},
              {"reference", problem.reference()},
              {"address", address.to_string()}};
}

Error generation_error(const ProblemAddress& address, const GenerationFailure& failure) {
  return {ErrorKind::kFailure,
          fmt::format("{}: no problem could be generated ({}: {})", address.to_string(),
                      to_string(failure.fault), failure.message)};
}

}  // namespace redqueen
