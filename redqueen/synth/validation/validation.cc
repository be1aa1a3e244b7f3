#include "redqueen/synth/validation/validation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "redqueen/base/rng.h"
#include "redqueen/synth/embedded_files.h"
#include "redqueen/synth/harness/harness.h"
#include "redqueen/synth/validation/scorer_contract.h"
#include "redqueen/synth/validation/spelling.h"
#include "redqueen/synth/validation/statement_contract.h"
#include "redqueen/synth/validation/variation.h"

namespace redqueen::synth {
namespace {

constexpr std::size_t kInputProblems = 6;  // whose inputs layer 5 changes

// A candidate that still stands, and what the layers hand on.
struct Candidate {
  const std::string& source;
  ValidationReport report;
  bool fallen = false;
};

// Where a problem is asked for.
struct Place {
  int level = 0;
  std::uint64_t seed = 0;
};

// Such as training uses; without a salt, 0 and 1 first.
std::uint64_t probe_seed(const ValidationOptions& options, int index) {
  const auto place = static_cast<std::uint64_t>(index);
  if (options.salt == 0 && index < 2) return place;
  return Rng({.purpose = hash_name("validation"), .index = place, .salt = options.salt}).bits() >>
         1;
}

std::vector<Place> places(const ValidationOptions& options) {
  std::vector<Place> plan;
  for (const int level : options.levels) {
    for (int i = 0; i < options.seeds_per_level; ++i)
      plan.push_back({level, probe_seed(options, i)});
  }
  return plan;
}

Json to_json(std::span<const Place> plan) {
  Json json = Json::array();
  for (const Place& place : plan) json.push_back(Json::array({place.level, place.seed}));
  return json;
}

sandbox::Limits limits_of(const ValidationOptions& options) {
  sandbox::Limits limits;
  limits.wall_seconds = options.layer_seconds;
  limits.memory_bytes = options.memory_bytes;
  limits.output_bytes = 64ULL << 20;
  return limits;
}

sandbox::Job harness_job(const Candidate& candidate, const ValidationOptions& options,
                         std::string function, const Json& arguments, std::uint64_t hash_seed = 0) {
  sandbox::Job job{host_program(candidate.source, limits_of(options)),
                   {sandbox::Call::json(std::move(function), dump_json(arguments))}};
  job.program.hash_seed = hash_seed;
  return job;
}

// --- falling ------------------------------------------------------------------------------------

void fall(Candidate& candidate, ValidationFault fault, std::string sentence, int line = 0) {
  candidate.fallen = true;
  candidate.report.fault = fault;
  candidate.report.sentence =
      line > 0 ? fmt::format("line {}: {}", line, sentence) : std::move(sentence);
  candidate.report.line = line;
}

ValidationFault fault_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ValidationFault::kHiddenParameter); ++i) {
    const auto fault = static_cast<ValidationFault>(i);
    if (name_of(fault) == name) return fault;
  }
  return ValidationFault::kRaises;
}

std::string place_text(const Json& json) {
  if (!json.contains("level") || !json.contains("seed")) return {};
  return fmt::format(" (difficulty {}, seed {})", dump_json(json["level"]),
                     dump_json(json["seed"]));
}

// {"fault", "message", "line"} as the Python side reports it.
void fall(Candidate& candidate, const Json& report) {
  fall(candidate, fault_named(report.value("fault", "")),
       report.value("message", "") + place_text(report), report.value("line", 0));
}

// What the environment was doing when its time was up: the last announcement that it printed.
std::string last_place(std::string_view out) {
  constexpr std::string_view kMark = "@redqueen ";
  const std::size_t at = out.rfind(kMark);
  if (at == std::string_view::npos) return " while it was loaded";
  std::string_view words = out.substr(at + kMark.size());
  words = words.substr(0, std::min(words.find('\n'), std::size_t{60}));
  const std::size_t space = words.find(' ');
  if (space == std::string_view::npos) return " while it was restored";
  return fmt::format(" at difficulty {}, seed {}", words.substr(0, space), words.substr(space + 1));
}

// A run that ended without a value.
void fall(Candidate& candidate, const sandbox::Outcome& outcome, const ValidationOptions& options) {
  using enum ValidationFault;
  const std::string where = last_place(outcome.out);
  switch (outcome.status) {
    case sandbox::OutcomeStatus::kTimeout:
    case sandbox::OutcomeStatus::kCpu:
      return fall(
          candidate, kTimeout,
          fmt::format("it did not finish within {} s; it stopped{}", options.layer_seconds, where));
    case sandbox::OutcomeStatus::kMemory:
      return fall(
          candidate, kMemory,
          fmt::format("it needs more than {} MiB of memory{}", options.memory_bytes >> 20, where));
    case sandbox::OutcomeStatus::kOutputLimit:
      return fall(candidate, kTooMuchOutput, fmt::format("it prints or stores too much{}", where));
    case sandbox::OutcomeStatus::kRefused:
      return fall(
          candidate, kRefused,
          fmt::format("it asked for what the sandbox refuses{}: {}", where, outcome.message));
    case sandbox::OutcomeStatus::kOk:  // a value without JSON form
    case sandbox::OutcomeStatus::kError:
      return fall(candidate, kRaises,
                  fmt::format("it breaks the program that runs it{}: {} {}", where,
                              outcome.exception, outcome.message));
    case sandbox::OutcomeStatus::kCrashed:
      return fall(candidate, kCrashed, fmt::format("its process died{}", where));
  }
}

// The JSON value of a run; nullopt: the candidate has fallen.
std::optional<Json> value_of(Candidate& candidate, const sandbox::Outcome& outcome,
                             const ValidationOptions& options) {
  if (outcome.ok() && !outcome.json.empty()) {
    if (auto value = parse_json(outcome.json)) return std::move(*value);
  }
  fall(candidate, outcome, options);
  return std::nullopt;
}

// As value_of, of an object that may be a fault.
std::optional<Json> object_of(Candidate& candidate, const sandbox::Outcome& outcome,
                              const ValidationOptions& options) {
  auto value = value_of(candidate, outcome, options);
  if (value && value->is_object() && value->contains("fault")) {
    fall(candidate, *value);
    return std::nullopt;
  }
  return value;
}

// --- L1: source ---------------------------------------------------------------------------------

sandbox::Job source_job(const Candidate& candidate, const ValidationOptions& options) {
  sandbox::Job job;
  job.program.source =
      fmt::format("{}\nSOURCE = {}\n", inspector_source(), python_literal(candidate.source));
  job.program.profile = {"inspector", false, {}, {}};  // our own code: it needs ast
  job.program.limits = limits_of(options);
  std::string allowed;
  for (const std::string& module : sandbox::pure_profile().modules) {
    allowed += python_literal(module) + ", ";
  }
  job.calls = {sandbox::Call::expression(
      fmt::format("inspect(SOURCE, [{}], {})", allowed, options.longest_source))};
  return job;
}

void check_source(Candidate& candidate, const sandbox::Outcome& outcome,
                  const ValidationOptions& options) {
  const auto found = object_of(candidate, outcome, options);
  if (!found) return;
  candidate.report.class_name = found->value("class_name", "");
  candidate.report.prompt_template = found->value("prompt_template", "");
}

// --- L2: it runs --------------------------------------------------------------------------------

bool read_sample_problems(Candidate& candidate, const Json& json, std::vector<bool>& solved) {
  for (const Json& one : json.at("problems")) {
    SampleProblem sample{.level = one.at("level").get<int>(),
                         .seed = one.at("seed").get<std::uint64_t>(),
                         .prompt = one.at("prompt").get<std::string>(),
                         .reference = one.at("reference").get<std::string>(),
                         .score = one.at("score").is_number() ? one.at("score").get<double>() : -1,
                         .state = one.at("state")};
    solved.push_back(one.at("solved").get<bool>());
    candidate.report.samples.push_back(std::move(sample));
  }
  return !candidate.report.samples.empty();
}

// A character that would command a terminal (ESC, CSI, …), or that no text needs: where it stands.
std::optional<std::size_t> control_character_in(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_c0 = (c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F;
    const bool is_c1 = c == 0xC2 && i + 1 < text.size() &&  // U+0080 to U+009F in UTF-8
                       (static_cast<unsigned char>(text[i + 1]) & 0xE0) == 0x80;
    if (is_c0 || is_c1) return i;
  }
  return std::nullopt;
}

// People read prompts and references on terminals, and models have no use for such characters.
void check_characters(Candidate& candidate, const SampleProblem& sample) {
  for (const auto& [text, what] :
       {std::pair<std::string_view, std::string_view>{sample.prompt, "prompt"},
        {sample.reference, "reference"}}) {
    const auto at = control_character_in(text);
    if (!at) continue;
    return fall(candidate, ValidationFault::kControlCharacters,
                fmt::format("at difficulty {} a {} has a control character as its byte {}; of "
                            "these a text may have tabs and line ends",
                            sample.level, what, *at + 1));
  }
}

void check_run(Candidate& candidate, const sandbox::Outcome& outcome,
               const ValidationOptions& options, std::vector<bool>& solved) {
  const auto found = object_of(candidate, outcome, options);
  if (!found) return;
  if (!read_sample_problems(candidate, *found, solved)) {
    return fall(candidate, ValidationFault::kRaises, "it made no problem");
  }
  for (const SampleProblem& sample : candidate.report.samples) {
    if (sample.prompt.size() > options.longest_prompt) {
      return fall(candidate, ValidationFault::kPromptTooLong,
                  fmt::format("at difficulty {} a prompt has {} bytes; at most {} are read",
                              sample.level, sample.prompt.size(), options.longest_prompt));
    }
    check_characters(candidate, sample);
    if (candidate.fallen) return;
    const std::size_t state = dump_json(sample.state).size();
    if (state > options.largest_state) {
      return fall(
          candidate, ValidationFault::kStateTooLarge,
          fmt::format("at difficulty {} a problem takes {} bytes to store; at most {} may be",
                      sample.level, state, options.largest_state));
    }
  }
}

// --- L3: equal seeds make equal problems --------------------------------------------------------

// Three answers to every problem: its reference, another one's, and a number.
Json texts_of(std::span<const SampleProblem> samples) {
  Json texts = Json::array();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    texts.push_back(
        Json::array({samples[i].reference, samples[(i + 1) % samples.size()].reference, "1"}));
  }
  return texts;
}

Json reversed(const Json& list) {
  Json other = Json::array();
  for (auto item = list.rbegin(); item != list.rend(); ++item) other.push_back(*item);
  return other;
}

constexpr int kTraces = 4;  // the same twice, another hash seed, another order with all alive

std::vector<sandbox::Job> trace_jobs(const Candidate& candidate, const ValidationOptions& options) {
  const Json plan = to_json(places(options));
  const Json texts = texts_of(candidate.report.samples);
  const Json forward = Json::array({plan, texts});
  return {harness_job(candidate, options, "trace", forward),
          harness_job(candidate, options, "trace", forward),
          harness_job(candidate, options, "trace", forward, 1),
          harness_job(candidate, options, "trace_live",
                      Json::array({reversed(plan), reversed(texts)}), 2)};
}

// Equal but for the order of keys.
bool same_value(const Json& left, const Json& right) {
  return nlohmann::json(left) == nlohmann::json(right);
}

// The first part in which two views of a problem differ; empty: none.
std::string difference(const Json& left, const Json& right) {
  if (left.contains("fault") || right.contains("fault")) {
    const Json& broken = left.contains("fault") ? left : right;
    return fmt::format("fate ({})", broken.value("message", ""));
  }
  for (const char* part : {"prompt", "reference", "state", "scores"}) {
    if (left.contains(part) && right.contains(part) && !same_value(left[part], right[part])) {
      return part;
    }
  }
  return {};
}

struct Difference {
  std::size_t problem = 0;
  std::string part;
};

std::optional<Difference> first_difference(const Json& left, const Json& right) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (std::string part = difference(left[i], right[i]); !part.empty()) {
      return Difference{i, std::move(part)};
    }
  }
  return std::nullopt;
}

void fall_by_difference(Candidate& candidate, const Difference& difference, ValidationFault fault,
                        std::string_view reason) {
  const SampleProblem& sample = candidate.report.samples[difference.problem];
  fall(candidate, difference.part == "scores" ? ValidationFault::kScoreUnstable : fault,
       fmt::format("the {} of a problem (difficulty {}, seed {}) {}", difference.part, sample.level,
                   sample.seed, reason));
}

// One process in which all instances live at once.
void check_live(Candidate& candidate, const Json& alone, const Json& live) {
  using enum ValidationFault;
  for (std::size_t i = 0; i < live.size(); ++i) {
    const Json& one = live[i];
    if (one.contains("fault")) continue;
    if (!same_value(one["prompt"], one["later_prompt"]) ||
        !same_value(one["state"], one["later_state"])) {
      return fall_by_difference(candidate, {i, "state or prompt"}, kSharedState,
                                "changes when another problem is made: instances share something");
    }
    if (!same_value(one["scores"], one["later_scores"])) {
      return fall_by_difference(candidate, {i, "scores"}, kScoreUnstable,
                                "change when the same answers are scored again");
    }
  }
  auto changed = first_difference(alone, live);
  if (!changed) return;
  if (changed->part == "scores") {
    changed->part = "verdict";
    return fall_by_difference(candidate, *changed, kSharedState,
                              "changes when other problems are made before it is scored");
  }
  fall_by_difference(candidate, *changed, kOrderDependent,
                     "depends on which problems were made before in the same process");
}

void check_traces(Candidate& candidate, std::span<const sandbox::Outcome> outcomes,
                  const ValidationOptions& options, Json& states) {
  using enum ValidationFault;
  std::vector<Json> traces;
  for (const sandbox::Outcome& outcome : outcomes) {
    auto trace = value_of(candidate, outcome, options);
    if (!trace) return;
    traces.push_back(std::move(*trace));
  }
  if (const auto changed = first_difference(traces[0], traces[1])) {
    return fall_by_difference(candidate, *changed, kUnseededRandomness,
                              "differs between two runs: something random is not seeded");
  }
  if (const auto changed = first_difference(traces[0], traces[2])) {
    return fall_by_difference(
        candidate, *changed, kHashSeedDependent,
        "differs between two runs with different hash seeds: the order of a set, hash() or id()");
  }
  check_live(candidate, traces[0], reversed(traces[3]));
  states = std::move(traces[0]);
}

sandbox::Job restored_job(const Candidate& candidate, const ValidationOptions& options,
                          const Json& states) {
  Json only_states = Json::array();
  for (const Json& one : states) only_states.push_back(one.value("state", Json::object()));
  return harness_job(candidate, options, "trace_restored",
                     Json::array({only_states, texts_of(candidate.report.samples)}), 1);
}

void check_restored(Candidate& candidate, const sandbox::Outcome& outcome,
                    const ValidationOptions& options, const Json& states) {
  const auto restored = value_of(candidate, outcome, options);
  if (!restored) return;
  if (auto changed = first_difference(states, *restored)) {
    if (changed->part == "scores") changed->part = "verdict";
    fall_by_difference(candidate, *changed, ValidationFault::kStateOutsideInstance,
                       "is another one in a process that only knows its stored state: part of it "
                       "is kept outside self");
  }
}

// --- L4: problems vary --------------------------------------------------------------------------

struct VariationPlan {
  std::vector<Place> places;
  std::vector<int> seed_indices;
};

VariationPlan variation_plan(const ValidationOptions& options) {
  VariationPlan plan;
  const auto [lowest, highest] = std::ranges::minmax(options.levels);
  for (const int level : options.levels) {
    const bool end = level == lowest || level == highest;
    for (int i = 0; i < options.variation_seeds * (end ? 3 : 1); ++i) {
      plan.places.push_back({level, probe_seed(options, i + 2)});
      plan.seed_indices.push_back(i);
    }
  }
  return plan;
}

void check_variation_of(Candidate& candidate, const sandbox::Outcome& outcome,
                        const ValidationOptions& options, const VariationPlan& plan,
                        std::vector<ProblemSample>& samples) {
  const auto found = object_of(candidate, outcome, options);
  if (!found) return;
  for (std::size_t i = 0; i < std::min(found->size(), plan.places.size()); ++i) {
    const Json& one = (*found)[i];
    samples.push_back({plan.places[i].level, plan.seed_indices[i], one.at(0).get<std::string>(),
                       one.at(1).get<std::string>()});
  }
  const ValidationFinding finding = check_variation(samples, options.largest_majority);
  if (finding.fault != ValidationFault::kNone) fall(candidate, finding.fault, finding.sentence);
}

// --- L5: the scorer's contract ------------------------------------------------------------------

void choose_probed(Candidate& candidate, const ValidationOptions& options) {
  int level = -1;
  int taken = 0;
  for (const SampleProblem& sample : candidate.report.samples) {
    if (sample.level != level) taken = 0;
    level = sample.level;
    if (taken++ < options.probed_per_level) candidate.report.probed.push_back(sample);
  }
}

Json probed_json(const Candidate& candidate, const StatementReading& reading) {
  Json problems = Json::array();
  for (const SampleProblem& problem : candidate.report.probed) {
    problems.push_back({{"level", problem.level},
                        {"seed", problem.seed},
                        {"prompt", problem.prompt},
                        {"reference", problem.reference},
                        {"state", problem.state}});
  }
  return Json::array({problems,
                      {{"decimals", reading.decimals ? Json(*reading.decimals) : Json(nullptr)},
                       {"once", reading.once}}});
}

// --- L5: the statement ------------------------------------------------------------------------

// Words and code side by side, in a process that does not run the code.
sandbox::Job statement_job(const Candidate& candidate, const ValidationOptions& options) {
  sandbox::Job job = source_job(candidate, options);
  Json prompts = Json::array();
  for (const SampleProblem& problem : candidate.report.probed) prompts.push_back(problem.prompt);
  job.program.source = fmt::format("{}\n{}\nSOURCE = {}\n", inspector_source(), statement_source(),
                                   python_literal(candidate.source));
  job.calls = {
      sandbox::Call::expression(fmt::format("read_statement(SOURCE, {})", dump_json(prompts)))};
  return job;
}

// An outcome that cannot be read proves nothing.
StatementReading reading_of(const sandbox::Outcome& outcome) {
  if (!outcome.ok()) return {};
  const auto json = parse_json(outcome.json);
  auto reading = json ? read_statement(*json) : Expected<StatementReading>(StatementReading{});
  return reading ? std::move(*reading) : StatementReading{};
}

// A few problems of the lower levels: what a reader would see of each, and its state.
sandbox::Job inputs_job(const Candidate& candidate, const ValidationOptions& options,
                        const StatementReading& reading) {
  Json problems = Json::array();
  for (const SampleProblem& problem : candidate.report.probed) {
    if (problems.size() == kInputProblems) break;
    problems.push_back({{"level", problem.level},
                        {"seed", problem.seed},
                        {"prompt", problem.prompt},
                        {"reference", problem.reference},
                        {"state", problem.state}});
  }
  return harness_job(candidate, options, "depends", Json::array({problems, reading.suspects}));
}

void keep_probes(ValidationReport& report, std::span<const ProbeTable> tables) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (const ProbeRow& row : tables[i].rows) {
      report.probes.push_back({.problem = static_cast<int>(i),
                               .group = row.group,
                               .kind = row.kind,
                               .text = row.text,
                               .parsed = row.score.has_value(),
                               .score = row.score.value_or(0.0),
                               .solved = row.solved,
                               .fault = row.fault});
    }
  }
}

// Before any probe: a reference that no usual text form of it makes right.
void check_references(Candidate& candidate, const std::vector<bool>& solved) {
  const auto wrong = std::ranges::find(solved, false);
  if (wrong == solved.end()) return;
  const SampleProblem& sample = candidate.report.samples[wrong - solved.begin()];
  const std::string text =
      sample.reference.size() > 60 ? sample.reference.substr(0, 57) + "..." : sample.reference;
  fall(candidate, ValidationFault::kReferenceRejected,
       fmt::format("at difficulty {}, seed {}, no usual text of self.ref_answer is right: \"{}\" "
                   "earns {}. Either scorer and _process disagree with _generate, or the answer "
                   "has a form of its own, which reference_text() must then give",
                   sample.level, sample.seed, text, sample.score));
}

void check_probes(Candidate& candidate, const sandbox::Outcome& outcome,
                  const ValidationOptions& options) {
  const auto found = object_of(candidate, outcome, options);
  if (!found) return;
  const auto tables = read_probe_tables(*found, candidate.report.probed);
  if (!tables) return fall(candidate, ValidationFault::kCrashed, tables.error().message);
  keep_probes(candidate.report, *tables);
  const ValidationFinding finding = check_scorer(*tables);
  if (finding.fault != ValidationFault::kNone) fall(candidate, finding.fault, finding.sentence);
}

// --- all layers ---------------------------------------------------------------------------------

// The candidates of one call, and what passes from layer to layer.
class Validation {
 public:
  Validation(sandbox::Sandbox& sandbox, std::span<const std::string> sources,
             const ValidationOptions& options)
      : sandbox_(sandbox),
        options_(options),
        solved_(sources.size()),
        states_(sources.size()),
        varied_(sources.size()),
        readings_(sources.size()) {
    for (const std::string& source : sources) candidates_.push_back({source, {}});
  }

  std::vector<ValidationReport> run() {
    for (int layer = 1; layer <= 5; ++layer) {
      run_layer(layer);
      for (Candidate& candidate : candidates_) {
        if (!candidate.fallen) candidate.report.layer = layer;
      }
    }
    std::vector<ValidationReport> reports;
    reports.reserve(candidates_.size());
    for (Candidate& candidate : candidates_) reports.push_back(std::move(candidate.report));
    return reports;
  }

 private:
  void run_layer(int layer) {
    switch (layer) {
      case 1:
        return each(1, source_job, check_source);
      case 2:
        return each(
            2,
            [](const Candidate& candidate, const ValidationOptions& options) {
              return harness_job(candidate, options, "run_all",
                                 Json::array({to_json(places(options))}));
            },
            [this](Candidate& candidate, const sandbox::Outcome& outcome,
                   const ValidationOptions& options) {
              check_run(candidate, outcome, options, solved_[index_of(candidate)]);
            });
      case 3:
        return run_third_layer();
      case 4:
        return run_fourth_layer();
      default:
        return run_fifth_layer();
    }
  }

  void run_third_layer() {
    std::vector<sandbox::Job> jobs;
    const std::vector<Candidate*> standing = still_standing();
    for (const Candidate* candidate : standing) {
      for (sandbox::Job& job : trace_jobs(*candidate, options_)) jobs.push_back(std::move(job));
    }
    const std::vector<sandbox::Outcome> outcomes = sandbox_.run_many(jobs);
    for (std::size_t i = 0; i < standing.size(); ++i) {
      const auto own = std::span(outcomes).subspan(i * kTraces, kTraces);
      guarded(*standing[i],
              [&] { check_traces(*standing[i], own, options_, states_[index_of(*standing[i])]); });
      for (const sandbox::Outcome& outcome : own) add_time(*standing[i], 3, outcome);
    }
    each(
        3,
        [this](const Candidate& candidate, const ValidationOptions& options) {
          return restored_job(candidate, options, states_[index_of(candidate)]);
        },
        [this](Candidate& candidate, const sandbox::Outcome& outcome,
               const ValidationOptions& options) {
          check_restored(candidate, outcome, options, states_[index_of(candidate)]);
        });
  }

  void run_fourth_layer() {
    const VariationPlan plan = variation_plan(options_);
    each(
        4,
        [&](const Candidate& candidate, const ValidationOptions& options) {
          return harness_job(candidate, options, "sample", Json::array({to_json(plan.places)}));
        },
        [&](Candidate& candidate, const sandbox::Outcome& outcome,
            const ValidationOptions& options) {
          check_variation_of(candidate, outcome, options, plan, varied_[index_of(candidate)]);
        });
  }

  void run_fifth_layer() {
    for (Candidate* candidate : still_standing()) {
      check_references(*candidate, solved_[index_of(*candidate)]);
      if (!candidate->fallen) choose_probed(*candidate, options_);
    }
    each(5, statement_job,
         [this](Candidate& candidate, const sandbox::Outcome& outcome, const ValidationOptions&) {
           readings_[index_of(candidate)] = reading_of(outcome);
         });
    each(
        5,
        [this](const Candidate& candidate, const ValidationOptions& options) {
          return harness_job(candidate, options, "probe",
                             probed_json(candidate, readings_[index_of(candidate)]));
        },
        check_probes);
    score_again();
    check_statements();
  }

  // What words, numbers and changed inputs say of the candidates whose scorers are fine.
  void check_statements() {
    for (Candidate* candidate : still_standing()) {
      const std::size_t index = index_of(*candidate);
      const StatementReading& reading = readings_[index];
      note_remarks(*candidate, reading.remarks);
      const ValidationFinding spelling = check_spelling(reading.sentences, reading.names);
      if (spelling.fault != ValidationFault::kNone)
        note_remarks(*candidate, std::span(&spelling, 1));
      const ValidationFinding leak = check_affine_leak(varied_[index]);
      if (!candidate->fallen && leak.fault != ValidationFault::kNone)
        fall(*candidate, leak.fault, leak.sentence);
    }
    each(
        5,
        [this](const Candidate& candidate, const ValidationOptions& options) {
          return inputs_job(candidate, options, readings_[index_of(candidate)]);
        },
        [this](Candidate& candidate, const sandbox::Outcome& outcome, const ValidationOptions&) {
          // A changed number may well make a program endless: that proves nothing.
          const auto evidence = outcome.ok() ? parse_json(outcome.json) : parse_json("null");
          if (!evidence || !evidence->is_object()) return;
          const InputFindings found = check_inputs(*evidence, readings_[index_of(candidate)]);
          note_remarks(candidate, found.remarks);
          if (!candidate.fallen && found.proof.fault != ValidationFault::kNone)
            fall(candidate, found.proof.fault, found.proof.sentence);
        });
  }

  void note_remarks(Candidate& candidate, std::span<const ValidationFinding> remarks) {
    for (const ValidationFinding& remark : remarks) {
      const bool is_fault = options_.strict_words && remark.fault != ValidationFault::kNone;
      if (is_fault && !candidate.fallen) fall(candidate, remark.fault, remark.sentence);
      candidate.report.remarks.push_back(remark.sentence);
    }
  }

  // Scores the texts of the probes once more, as training does: one call each from outside, in
  // another order, in a process that has been asked nothing else. A scorer that knows a probe from
  // an answer differs.
  void score_again() {
    std::vector<sandbox::Batch> batches;
    std::vector<std::vector<const ProbeResult*>> asked;
    const std::vector<Candidate*> standing = still_standing();
    for (const Candidate* candidate : standing) {
      asked.emplace_back();
      for (const ProbeResult& row : candidate->report.probes) {
        const bool whole = row.text.size() < 77 && row.fault.empty();
        if (whole) asked.back().push_back(&row);
      }
      Rng({.seed = hash_name(candidate->source), .purpose = hash_name("score again")})
          .shuffle(asked.back());
      batches.push_back({host_program(candidate->source, limits_of(options_)), {}});
      for (const ProbeResult* row : asked.back()) {
        const SampleProblem& problem =
            candidate->report.probed[static_cast<std::size_t>(row->problem)];
        batches.back().calls.push_back(
            sandbox::Call::json("score", dump_json(Json::array({problem.state, row->text}))));
      }
    }
    const auto outcomes = sandbox_.run_many(batches);
    for (std::size_t i = 0; i < standing.size(); ++i) {
      for (std::size_t k = 0; k < asked[i].size() && !standing[i]->fallen; ++k) {
        if (outcomes[i][k].status == sandbox::OutcomeStatus::kTimeout) continue;
        compare_scores(*standing[i], *asked[i][k], outcomes[i][k]);
      }
    }
  }

  static void compare_scores(Candidate& candidate, const ProbeResult& row,
                             const sandbox::Outcome& outcome) {
    const auto pair = outcome.ok() ? parse_json(outcome.json) : parse_json("null");
    const bool scored = pair && pair->is_array() && pair->size() == 2 && (*pair)[0].is_number() &&
                        (*pair)[1].is_boolean();
    const bool same = scored ? row.parsed && (*pair)[1].get<bool>() == row.solved &&
                                   std::abs((*pair)[0].get<double>() - row.score) < 1e-9
                             : !row.parsed;
    if (same) return;
    fall(candidate, ValidationFault::kScoreUnstable,
         fmt::format(
             "the answer \"{}\" scores differently when it is asked again, alone: its scorer "
             "is not a function of the problem and the answer",
             row.text));
  }

  // One job for every candidate that stands, all at once.
  template <typename MakeJob, typename Check>
  void each(int layer, MakeJob make_job, Check check) {
    const std::vector<Candidate*> standing = still_standing();
    std::vector<sandbox::Job> jobs;
    jobs.reserve(standing.size());
    for (const Candidate* candidate : standing) jobs.push_back(make_job(*candidate, options_));
    const std::vector<sandbox::Outcome> outcomes = sandbox_.run_many(jobs);
    for (std::size_t i = 0; i < standing.size(); ++i) {
      add_time(*standing[i], layer, outcomes[i]);
      guarded(*standing[i], [&] { check(*standing[i], outcomes[i], options_); });
    }
  }

  // A hostile program can answer in place of ours, with JSON of another form.
  template <typename Check>
  static void guarded(Candidate& candidate, Check check) {
    try {
      check();
    } catch (const nlohmann::json::exception& error) {
      fall(candidate, ValidationFault::kCrashed,
           fmt::format("its process answered with something else: {}", error.what()));
    }
  }

  std::vector<Candidate*> still_standing() {
    std::vector<Candidate*> standing;
    for (Candidate& candidate : candidates_) {
      if (!candidate.fallen) standing.push_back(&candidate);
    }
    return standing;
  }

  std::size_t index_of(const Candidate& candidate) const {
    return static_cast<std::size_t>(&candidate - candidates_.data());
  }

  static void add_time(Candidate& candidate, int layer, const sandbox::Outcome& outcome) {
    candidate.report.seconds[static_cast<std::size_t>(layer) - 1] += outcome.wall_seconds;
  }

  sandbox::Sandbox& sandbox_;
  const ValidationOptions& options_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<bool>> solved_;  // by candidate: which references of L2 are right
  std::vector<Json> states_;               // by candidate: what L3 saw first
  std::vector<std::vector<ProblemSample>> varied_;  // by candidate: what L4 saw
  std::vector<StatementReading> readings_;          // by candidate
};

}  // namespace

std::vector<ValidationReport> validate(sandbox::Sandbox& sandbox,
                                       std::span<const std::string> sources,
                                       const ValidationOptions& options) {
  return Validation(sandbox, sources, options).run();
}

ValidationReport validate(sandbox::Sandbox& sandbox, const std::string& source,
                          const ValidationOptions& options) {
  return std::move(validate(sandbox, std::span(&source, 1), options).front());
}

}  // namespace redqueen::synth
