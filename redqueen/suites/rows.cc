#include "redqueen/suites/rows.h"
#include "redqueen/suites/split.h"

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "redqueen/base/parallel.h"
#include "redqueen/core/answer_limits.h"
#include "redqueen/core/completion.h"
#include "redqueen/data_sets/data_set.h"

namespace redqueen {
namespace {

constexpr std::size_t kGrain = 16;  // rows that one thread reads at a time

// A problem on the way to verdicts.
struct OpenProblem {
  ProblemPtr problem;
  std::optional<Error> fault;
};

const ProblemAddress* address_of(const RowResponse& row) {
  return row.problem ? std::get_if<ProblemAddress>(&row.problem->from) : nullptr;
}

// The key that tells the problems of addresses apart; of none by default.
struct ProblemKey {
  const Environment* environment = nullptr;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
  bool operator==(const ProblemKey&) const = default;
};
struct KeyHash {
  std::size_t operator()(const ProblemKey& key) const {
    std::size_t hash = std::hash<const Environment*>()(key.environment);
    for (const std::uint64_t part : {static_cast<std::uint64_t>(key.level), key.seed, key.salt})
      hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    return hash;
  }
};

// The problems of rows, each address once: trainers send many responses to one problem.
struct RowProblems {
  std::vector<std::size_t> of_row;     // place of a row's problem
  std::vector<std::size_t> first_row;  // of each problem
};

RowProblems number_problems(std::span<const RowResponse> rows) {
  RowProblems problems;
  problems.of_row.reserve(rows.size());
  std::unordered_map<ProblemKey, std::size_t, KeyHash> known;
  ProblemKey before;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t place = problems.first_row.size();
    if (const ProblemAddress* address = address_of(rows[i])) {
      const ProblemKey key{rows[i].problem->environment, address->level, address->seed,
                           address->salt};
      // Mostly they stand side by side.
      place = key == before ? problems.of_row.back() : known.try_emplace(key, place).first->second;
      before = key;
    } else {
      before = {};
    }
    if (place == problems.first_row.size()) problems.first_row.push_back(i);
    problems.of_row.push_back(place);
  }
  return problems;
}

void restore_problems(std::span<const RowResponse> rows, std::span<const std::size_t> first_row,
                      int threads, std::vector<OpenProblem>& open) {
  const auto restore = [&](const RowResponse& row, OpenProblem& place) {
    if (!row.problem) {
      place.fault = row.problem.error();
    } else if (address_of(row) == nullptr) {
      auto problem = restore_row(*row.problem);
      if (problem) {
        place.problem = std::move(*problem);
      } else {
        place.fault = std::move(problem.error());
      }
    }
  };
  parallel_chunks(open.size(), kGrain, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) restore(rows[first_row[i]], open[i]);
  });
}

void make_problems(std::span<const RowResponse> rows, std::span<const std::size_t> first_row,
                   const RowOptions& options, std::vector<OpenProblem>& open) {
  std::vector<ProblemRequest> requests;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const RowResponse& row = rows[first_row[i]];
    const ProblemAddress* address = address_of(row);
    if (address == nullptr) continue;
    requests.push_back({row.problem->environment, address->level, address->seed, address->salt});
    places.push_back(i);
  }
  auto made = generate_all(requests, {.threads = options.threads, .limits = options.limits});
  for (std::size_t k = 0; k < made.size(); ++k) {
    OpenProblem& place = open[places[k]];
    if (made[k]) {
      place.problem = std::move(*made[k]);
    } else {
      place.fault = generation_error(*address_of(rows[first_row[places[k]]]), made[k].error());
    }
  }
}

// nullopt: malformed.
std::optional<std::string_view> answer_of(std::string_view response, const RowOptions& options) {
  if (!options.raw) {
    const PromptFormat format{.marker = options.marker, .thoughts = options.thoughts};
    return find_answer(response, format, options.max_bytes);
  }
  if (response.size() > options.max_bytes) {
    count_cut_verdict();
    return std::nullopt;
  }
  return trim(response);
}

// `row` keeps the text that the response is a view of.
RowResponse read_line(const std::string& line, const RowEnvironments& environments, Json& row) {
  auto parsed = parse_json(line);
  if (!parsed) return {.problem = tl::make_unexpected(std::move(parsed.error())), .response = {}};
  row = std::move(*parsed);
  if (!row.is_object())
    return {.problem = failure("expected a JSON object, found {}", row.type_name()),
            .response = {}};
  RowResponse read{.problem = read_row(row, environments), .response = {}};
  const auto response = row.find("response");
  if (response != row.end() && response->is_string()) {
    read.response = response->get_ref<const std::string&>();
  } else if (read.problem) {
    // Reports a fault of the problem first.
    auto problem = restore_row(*read.problem);
    read.problem = problem ? failure("\"response\": missing, or not a string")
                           : tl::make_unexpected(std::move(problem.error()));
  }
  return read;
}

}  // namespace

Expected<const Environment*> RowEnvironments::get(std::string_view name) const {
  for (const Environment* environment : own) {
    if (environment->name() == name) return environment;
  }
  auto known = registry.get(name);
  if (!known) known.error().message += hint;
  return known;
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

namespace {

// A verdict, and what decided it; empty where nothing says.
struct GroundedVerdict {
  Expected<Verdict> verdict;
  std::string_view ground;
};

std::vector<GroundedVerdict> score_grounded(std::span<const RowResponse> rows,
                                            const RowOptions& options) {
  const RowProblems problems = number_problems(rows);
  std::vector<OpenProblem> open(problems.first_row.size());
  restore_problems(rows, problems.first_row, options.threads, open);
  make_problems(rows, problems.first_row, options, open);
  std::vector<GroundedVerdict> verdicts(rows.size());
  std::vector<AnswerRequest> requests;
  std::vector<std::size_t> places;
  requests.reserve(rows.size());
  places.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const OpenProblem& own = open[problems.of_row[i]];
    if (own.fault) {
      verdicts[i].verdict = tl::make_unexpected(*own.fault);
    } else if (auto answer = answer_of(rows[i].response, options)) {
      requests.push_back({own.problem.get(), *answer});
      places.push_back(i);
    }
  }
  const std::vector<Verdict> scored =
      score_all(requests, {.threads = options.threads, .reading = options.reading});
  for (std::size_t k = 0; k < places.size(); ++k) verdicts[places[k]].verdict = scored[k];
  if (!options.grounds) return verdicts;
  parallel_chunks(places.size(), kGrain, options.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      verdicts[places[k]].ground =
          data_sets::ground_name(*requests[k].problem, requests[k].answer).value_or("");
    }
  });
  return verdicts;
}

std::vector<GroundedVerdict> score_lines(std::span<const std::string> lines,
                                         const RowEnvironments& environments,
                                         const RowOptions& options) {
  std::vector<Json> parsed(lines.size());
  std::vector<RowResponse> rows(lines.size());
  parallel_chunks(lines.size(), kGrain, options.threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      rows[i] = read_line(lines[i], environments, parsed[i]);
  });
  return score_grounded(rows, options);
}

std::vector<Expected<Verdict>> without_grounds(std::vector<GroundedVerdict> grounded) {
  std::vector<Expected<Verdict>> verdicts;
  verdicts.reserve(grounded.size());
  for (GroundedVerdict& one : grounded) verdicts.push_back(std::move(one.verdict));
  return verdicts;
}

}  // namespace

std::vector<Expected<Verdict>> score_responses(std::span<const RowResponse> rows,
                                               const RowOptions& options) {
  return without_grounds(score_grounded(rows, options));
}

std::vector<Expected<Verdict>> score_rows(std::span<const std::string> lines,
                                          const RowEnvironments& environments,
                                          const RowOptions& options) {
  return without_grounds(score_lines(lines, environments, options));
}

std::vector<Json> score_to_rows(std::span<const std::string> lines,
                                const RowEnvironments& environments, const RowOptions& options) {
  std::vector<Json> rows;
  rows.reserve(lines.size());
  for (const GroundedVerdict& one : score_lines(lines, environments, options)) {
    rows.push_back(verdict_row(one.verdict));
    if (!one.ground.empty()) rows.back()["ground"] = std::string(one.ground);
  }
  return rows;
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
