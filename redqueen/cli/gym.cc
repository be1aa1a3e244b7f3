// redqueen gym: look at the environments, make problems, score responses.

#include <fmt/color.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <random>

#include "redqueen/cli/commands.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/core/registry.h"
#include "redqueen/core/rng.h"
#include "redqueen/recipes/suite.h"

namespace redqueen {
namespace {

// ---------------------------------------------------------------------------------------------------------------------
// One environment, of this build or of a path

struct Found {
  const Environment* environment = nullptr;
  Suite owner;  // of a path's environments
};

Expected<Found> find_environment(const std::string& name) {
  if (const Environment* known = Registry::instance().find(name)) return Found{known, {}};
  if (!std::filesystem::exists(name)) {
    const auto none = Registry::instance().get(name);
    return tl::make_unexpected(none.error());
  }
  auto suite = load_suite(name);
  if (!suite) return tl::make_unexpected(suite.error());
  if (suite->environments.size() != 1) {
    return usage_error("{}: this holds {} environments; name one of them", name,
                       suite->environments.size());
  }
  const Environment* only = suite->environments.front();
  return Found{only, std::move(*suite)};
}

// ---------------------------------------------------------------------------------------------------------------------
// list, show, sample

struct ListOptions {
  std::string family;
  bool json = false;
};

Status list(const ListOptions& options) {
  std::size_t shown = 0;
  for (const Environment* environment : Registry::instance().all()) {
    const Card& card = environment->card();
    if (!options.family.empty() && to_string(card.family) != options.family) continue;
    ++shown;
    if (options.json) {
      fmt::print("{}\n", dump_json(Json{{"name", card.name},
                                        {"family", to_string(card.family)},
                                        {"answer", to_string(card.answer)},
                                        {"scoring", to_string(card.scoring)},
                                        {"version", card.version},
                                        {"task", card.task}}));
    } else {
      fmt::print("{:<46} {:<14} {:<20} {}\n", card.name, to_string(card.family),
                 to_string(card.answer), to_string(card.scoring));
    }
  }
  if (shown == 0) return usage_error("no environment is of the family \"{}\"", options.family);
  if (!options.json) fmt::print("{} environments\n", shown);
  return {};
}

void print_problem(const Environment& environment, const Problem& problem,
                   const ProblemAddress& address) {
  fmt::print("---- {} ({})\n{}\n---- reference\n{}\n", address.to_string(),
             to_string(environment.card().scoring), problem.prompt(), problem.reference());
}

Expected<ProblemPtr> make_problem(const Environment& environment, int level, std::uint64_t seed,
                                  std::uint64_t salt) {
  auto problem = environment.generate(level, seed, salt);
  if (!problem) {
    return failure("{}: no problem could be generated ({}: {})",
                   environment.address(level, seed, salt).to_string(),
                   to_string(problem.error().fault), problem.error().message);
  }
  return std::move(*problem);
}

struct ShowOptions {
  std::string name;
};

Status show(const ShowOptions& options) {
  const auto found = find_environment(options.name);
  if (!found) return tl::make_unexpected(found.error());
  const Environment* environment = found->environment;
  const Card& card = environment->card();
  fmt::print("{} (version {})\n", card.name, card.version);
  fmt::print("  family       {}\n  answer       {}\n  scoring      {}\n", to_string(card.family),
             to_string(card.answer), to_string(card.scoring));
  fmt::print("  task         {}\n  levels       {}\n  rewards      {}\n", card.task, card.levels,
             card.rewards);
  if (!card.differences.empty()) fmt::print("  differences  {}\n", card.differences);
  if (!card.small_answer_space.empty()) fmt::print("  guessing     {}\n", card.small_answer_space);
  for (const int level : {0, 5}) {
    if (level > card.max_level) continue;
    const auto problem = make_problem(*environment, level, 0, 0);
    if (!problem) return tl::make_unexpected(problem.error());
    print_problem(*environment, **problem, environment->address(level, 0));
  }
  return {};
}

struct SampleOptions {
  std::string name;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
  int count = 1;
  std::string address;
};

Status sample(const SampleOptions& options) {
  const auto found = find_environment(options.name);
  if (!found) return tl::make_unexpected(found.error());
  const Environment* environment = found->environment;
  for (int i = 0; i < options.count; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    const auto problem = make_problem(*environment, options.level, seed, options.salt);
    if (!problem) return tl::make_unexpected(problem.error());
    print_problem(*environment, **problem, environment->address(options.level, seed, options.salt));
  }
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// generate, score: JSON lines for other programs

struct GenerateOptions {
  std::string name;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
  int count = 1;
  std::string format = "plain";
};

Status generate(const GenerateOptions& options) {
  const auto found = find_environment(options.name);
  if (!found) return tl::make_unexpected(found.error());
  const Environment* environment = found->environment;
  const auto format = PromptFormat::parse(options.format);
  if (!format) return tl::make_unexpected(format.error());
  for (int i = 0; i < options.count; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    const auto problem = make_problem(*environment, options.level, seed, options.salt);
    if (!problem) return tl::make_unexpected(problem.error());
    Json line{{"environment", environment->name()},
              {"level", options.level},
              {"seed", seed},
              {"parameter", (*problem)->parameter()},
              {"prompt", format->render((*problem)->prompt())},
              {"reference", (*problem)->reference()},
              {"address", environment->address(options.level, seed, options.salt).to_string()}};
    fmt::print("{}\n", dump_json(line));
    if (std::ferror(stdout) != 0) return failure("standard output cannot be written");
  }
  return {};
}

struct ScoreOptions {
  std::string environment;  // path; empty: those of this build only
  bool raw = false;
  std::string marker = "answer";
  std::size_t max_bytes = kDefaultMaxResponseBytes;
};

Expected<const Environment*> environment_of(std::string_view name, const Suite& given) {
  for (const Environment* environment : given.environments) {
    if (environment->name() == name) return environment;
  }
  return Registry::instance().get(name);
}

// The problem of a line: made again from its "address", or restored from its "parameter". A line may leave out the name
// of the only environment that was given.
Expected<ProblemPtr> problem_of(const Json& line, const Suite& given) {
  if (line.contains("address") && line["address"].is_string()) {
    const auto address = ProblemAddress::parse(line["address"].get_ref<const std::string&>());
    if (!address) return tl::make_unexpected(address.error());
    const auto environment = environment_of(address->environment, given);
    if (!environment) return tl::make_unexpected(environment.error());
    if ((*environment)->card().version != address->version) {
      return failure("{} is of version {}, this is version {}: its problems may differ",
                     address->to_string(), address->version, (*environment)->card().version);
    }
    return make_problem(**environment, address->level, address->seed, address->salt);
  }
  const bool is_only = given.environments.size() == 1 && !line.contains("environment");
  if (!is_only && (!line.contains("environment") || !line["environment"].is_string())) {
    return failure("\"environment\": missing, or not a string");
  }
  if (!line.contains("parameter"))
    return failure("\"parameter\": missing (or give an \"address\")");
  if (is_only) return given.environments.front()->restore(line["parameter"]);
  const auto environment = environment_of(line["environment"].get_ref<const std::string&>(), given);
  if (!environment) return tl::make_unexpected(environment.error());
  return (*environment)->restore(line["parameter"]);
}

Expected<Verdict> score_line(const std::string& text, const ScoreOptions& options,
                             const Suite& given) {
  const auto line = parse_json(text);
  if (!line) return tl::make_unexpected(line.error());
  if (!line->is_object()) return failure("expected a JSON object, found {}", line->type_name());
  const auto problem = problem_of(*line, given);
  if (!problem) return tl::make_unexpected(problem.error());
  if (!line->contains("response") || !(*line)["response"].is_string()) {
    return failure("\"response\": missing, or not a string");
  }
  const std::string& response = (*line)["response"].get_ref<const std::string&>();
  if (options.raw)
    return response.size() > options.max_bytes ? Verdict{} : (*problem)->score(trim(response));
  return score_response(**problem, response,
                        options.marker == "boxed" ? MarkerStyle::kBoxed : MarkerStyle::kAnswerTag,
                        options.max_bytes);
}

Status score(const ScoreOptions& options) {
  Suite given;
  if (!options.environment.empty()) {
    auto suite = load_suite(options.environment);
    if (!suite) return tl::make_unexpected(suite.error());
    given = std::move(*suite);
  }
  std::ios::sync_with_stdio(false);
  std::string text;
  while (std::getline(std::cin, text)) {
    if (trim(text).empty()) continue;
    const auto verdict = score_line(text, options, given);
    const Json line = verdict ? Json{{"reward", verdict->reward},
                                     {"solved", verdict->solved},
                                     {"well_formed", verdict->well_formed}}
                              : Json{{"error", verdict.error().message}};
    std::cout << dump_json(line) << '\n';
    if (std::cin.rdbuf()->in_avail() == 0)
      std::cout.flush();  // a partner who waits for each verdict gets it
    if (!std::cout) return failure("standard output cannot be written");
  }
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// check: the promises that can be tested without a test suite

struct CheckOptions {
  std::vector<std::string> names;
  int problems = 20;
};

// What is wrong with an environment at a level, or "".
std::string fault_at(const Environment& environment, int level, int problems) {
  for (int seed = 0; seed < problems; ++seed) {
    const auto address = environment.address(level, static_cast<std::uint64_t>(seed));
    const auto problem = environment.generate(level, address.seed);
    if (!problem) return fmt::format("{}: {}", address.to_string(), problem.error().message);
    const std::string reference = (*problem)->reference();
    if (!(*problem)->score(reference).solved)
      return fmt::format("{}: its reference does not solve it", address.to_string());
    const auto restored = environment.restore((*problem)->parameter());
    if (!restored) return fmt::format("{}: {}", address.to_string(), restored.error().message);
    if ((*restored)->prompt() != (*problem)->prompt()) {
      return fmt::format("{}: restored from its parameter it has another prompt",
                         address.to_string());
    }
    if ((*problem)->score("\x01").solved)
      return fmt::format("{}: garbage solves it", address.to_string());
  }
  return {};
}

Status check(const CheckOptions& options) {
  std::vector<const Environment*> environments;
  std::vector<Suite> owners;
  for (const std::string& name : options.names) {
    if (Registry::instance().find(name) == nullptr && std::filesystem::exists(name)) {
      auto suite = load_suite(name);
      if (!suite) return tl::make_unexpected(suite.error());
      environments.insert(environments.end(), suite->environments.begin(),
                          suite->environments.end());
      owners.push_back(std::move(*suite));
      continue;
    }
    const auto environment = Registry::instance().get(name);
    if (!environment) return tl::make_unexpected(environment.error());
    environments.push_back(*environment);
  }
  if (environments.empty()) environments = Registry::instance().all();
  std::size_t faulty = 0;
  for (const Environment* environment : environments) {
    std::string fault;
    for (int level : {0, 1, 2, 3, 5, 8, 12}) {
      if (level > environment->card().max_level || !fault.empty()) break;
      fault = fault_at(*environment, level, options.problems);
    }
    faulty += !fault.empty();
    fmt::print("{:<46} {}\n", environment->name(), fault.empty() ? "sound" : fault);
  }
  if (faulty > 0) return failure("{} of {} environments are faulty", faulty, environments.size());
  return {};
}

constexpr const char* kEnvironmentHelp =
    "Environment: its name, a Python file, or an environment's folder";

}  // namespace

void add_gym(CLI::App& app, Action& action) {
  CLI::App* gym = app.add_subcommand("gym", "Look at environments, make problems, score responses");
  gym->require_subcommand(1);

  {
    CLI::App* command = gym->add_subcommand("list", "List all environments");
    auto options = std::make_shared<ListOptions>();
    command->add_option("--family", options->family, "Only those of this family");
    command->add_flag("--json", options->json, "One JSON object a line");
    set_action(command, action, options, list);
  }
  {
    CLI::App* command =
        gym->add_subcommand("show", "Show an environment's card and two of its problems");
    auto options = std::make_shared<ShowOptions>();
    command->add_option("name,--environment", options->name, kEnvironmentHelp)->required();
    set_action(command, action, options, show);
  }
  {
    CLI::App* command = gym->add_subcommand("sample", "Show problems with their reference answers");
    auto options = std::make_shared<SampleOptions>();
    command->add_option("name,--environment", options->name, kEnvironmentHelp)->required();
    command->add_option("--level", options->level, "Difficulty, from 0")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--seed", options->seed, "Seed of the first problem; the next ones follow");
    command->add_option("--salt", options->salt, "Salt of the run");
    command->add_option("--count", options->count, "How many")->check(CLI::PositiveNumber);
    set_action(command, action, options, sample);
  }
  {
    CLI::App* command = gym->add_subcommand("check", "Test the promises of environments");
    auto options = std::make_shared<CheckOptions>();
    command->add_option("name,--environment", options->names,
                        "Environments, or paths as for show (default: all of this build)");
    command->add_option("--problems", options->problems, "Problems a level")
        ->check(CLI::PositiveNumber);
    set_action(command, action, options, check);
  }
  {
    CLI::App* command = gym->add_subcommand("generate", "Write problems as JSON lines");
    auto options = std::make_shared<GenerateOptions>();
    command->add_option("name,--environment", options->name, kEnvironmentHelp)->required();
    command->add_option("--level", options->level, "Difficulty, from 0")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--seed", options->seed, "Seed of the first problem; the next ones follow");
    command->add_option("--salt", options->salt, "Salt of the run");
    command->add_option("--count", options->count, "How many")->check(CLI::PositiveNumber);
    command->add_option(
        "--prompt", options->format,
        "Prompt format: plain, boxed, chatml, think, terse, bare, or text with {problem} in it");
    set_action(command, action, options, generate);
  }
  {
    CLI::App* command = gym->add_subcommand("score",
                                            "Read {\"environment\",\"parameter\",\"response\"} as "
                                            "JSON lines, write a verdict or an error for each");
    auto options = std::make_shared<ScoreOptions>();
    command->add_option("--environment", options->environment,
                        "Python environments that lines name besides those of this build: a file, "
                        "a folder, a pool, a run");
    command->add_flag("--raw", options->raw, "The response is the bare answer");
    command->add_option("--marker", options->marker, "How responses mark the answer")
        ->check(CLI::IsMember({"answer", "boxed"}));
    command->add_option("--max-response-bytes", options->max_bytes,
                        "A longer response is malformed");
    set_action(command, action, options, score);
  }
  add_gym_audit(*gym, action);
}

}  // namespace redqueen
