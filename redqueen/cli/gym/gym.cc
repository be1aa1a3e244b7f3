// redqueen gym: look at the environments, make problems, score responses.

#include <fmt/color.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/rng.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/environment_argument.h"
#include "redqueen/cli/output.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/marker_names.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/suites/rows.h"
#include "redqueen/suites/split.h"

namespace redqueen {
namespace {

// ------------------------------------------------------------------------------------------------
// list, show, sample

struct GymListOptions {
  std::string family;
  bool json = false;
};

Status gym_list(const GymListOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(resources));
  std::size_t shown = 0;
  for (const Environment* environment : engine.registry().all()) {
    const Card& card = environment->card();
    if (!options.family.empty() && to_string(card.family) != options.family) continue;
    ++shown;
    if (options.json) {
      fmt::print("{}\n", dump_json(Json{{"name", card.name},
                                        {"family", to_string(card.family)},
                                        {"answer", to_string(card.answer)},
                                        {"scoring", to_string(card.scoring)},
                                        {"version", card.version},
                                        {"published", card.published},
                                        {"max_level", card.max_level},
                                        {"guess_until_level", card.guess_until_level},
                                        {"guess_bound", card.guess_bound},
                                        {"slow_reason", to_string(card.slow_reason)},
                                        {"task", card.task}}));
    } else {
      say("{:<46} {:<14} {:<20} {}\n", card.name, to_string(card.family), to_string(card.answer),
          to_string(card.scoring));
    }
  }
  if (shown == 0) {
    std::set<std::string_view> families;
    for (const Environment* environment : engine.registry().all())
      families.insert(to_string(environment->card().family));
    return usage_error("no environment is of the family \"{}\"; there are {}", options.family,
                       fmt::join(families, ", "));
  }
  if (!options.json) say("{} environments\n", shown);
  return {};
}

void print_problem(const Environment& environment, const Problem& problem,
                   const ProblemAddress& address) {
  say("---- {} ({})\n{}\n---- reference\n{}\n", address.to_string(),
      to_string(environment.card().scoring), problem.prompt(), problem.reference());
}

struct GymShowOptions {
  ConfigurationOptions configuration;
  std::string name;
};

Status gym_show(const GymShowOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto found, find_environment(engine, options.name));
  const Environment* environment = found.environment;
  const Card& card = environment->card();
  say("{} (version {})\n", card.name, card.version);
  say("  family       {}\n  answer       {}\n  scoring      {}\n", to_string(card.family),
      to_string(card.answer), to_string(card.scoring));
  say("  task         {}\n  levels       {}\n  rewards      {}\n", card.task, card.levels,
      card.rewards);
  if (!card.differences.empty()) say("  differences  {}\n", card.differences);
  if (!card.small_answer_space.empty()) say("  guessing     {}\n", card.small_answer_space);
  if (!card.source.empty()) say("  source       {}\n", card.source);
  for (const int level : {0, 5}) {
    if (level > card.max_level) continue;
    const auto address = environment->address(level, 0);
    ASSIGN_OR_RETURN(const ProblemPtr problem, restore_row({environment, address}));
    print_problem(*environment, *problem, address);
  }
  return {};
}

struct SampleOptions {
  ConfigurationOptions configuration;
  std::string name;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
  int count = 1;
  std::string address;
};

Status sample_problems(const SampleOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto found, find_environment(engine, options.name));
  const Environment* environment = found.environment;
  for (int i = 0; i < options.count; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    const auto address = environment->address(options.level, seed, options.salt);
    ASSIGN_OR_RETURN(const ProblemPtr problem, restore_row({environment, address}));
    print_problem(*environment, *problem, address);
  }
  return {};
}

// ------------------------------------------------------------------------------------------------
// generate, score: JSON lines for other programs

struct GenerateOptions {
  ConfigurationOptions configuration;
  std::string name;
  int level = 0;
  std::uint64_t seed = 0;
  std::string split = "train";
  std::optional<std::uint64_t> salt;
  int count = 1;
  std::string format = "plain";
};

// Evaluation asks the problems of salt 0, so nobody may train on them unawares.
Expected<std::uint64_t> salt_of_split(const GenerateOptions& options) {
  const bool test = options.split == "test";
  const std::uint64_t salt = options.salt.value_or(test ? kTestSalt : kTestSalt + 1);
  if (test == (salt == kTestSalt)) return salt;
  return test ? usage_error("--split test has salt 0; leave out --salt")
              : usage_error(
                    "salt 0 is the test split, which evaluation asks: give another salt, "
                    "or --split test");
}

Status generate(const GenerateOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const std::uint64_t salt, salt_of_split(options));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto found, find_environment(engine, options.name));
  const Environment* environment = found.environment;
  ASSIGN_OR_RETURN(const auto format, PromptFormat::parse(options.format));
  constexpr int kAtOnce = 1024;
  for (int first = 0; first < options.count; first += kAtOnce) {
    std::vector<ProblemRequest> requests;
    for (int i = first; i < std::min(options.count, first + kAtOnce); ++i) {
      requests.push_back(
          {environment, options.level, options.seed + static_cast<std::uint64_t>(i), salt});
    }
    const auto problems = generate_all(requests);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const auto address = environment->address(options.level, requests[i].seed, salt);
      if (!problems[i]) return tl::make_unexpected(generation_error(address, problems[i].error()));
      fmt::print("{}\n", dump_json(problem_row(address, **problems[i], format)));
    }
  }
  return {};
}

struct GymScoreOptions {
  ConfigurationOptions configuration;
  std::string environment;  // path; empty: those of this build only
  bool raw = false;
  std::string marker{kMarkerNames.name(MarkerStyle::kAnswerTag)};
  std::string reading = "strict";
  std::string thoughts = "whole";
  std::size_t max_bytes = kDefaultMaxResponseBytes;
};

// Lines up to where the next one would have to be waited for: a partner who waits for each verdict
// gets it. Empty at the end of the input.
std::vector<std::string> read_lines() {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  std::string text;
  while (bytes < kMostBytes && std::getline(std::cin, text)) {
    bytes += text.size() + 1;
    if (!trim(text).empty()) lines.push_back(std::move(text));
    if (!lines.empty() && std::cin.rdbuf()->in_avail() <= 0) break;
  }
  return lines;
}

Status score(const GymScoreOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  Suite given;
  if (!options.environment.empty()) {
    ASSIGN_OR_RETURN(auto suite, engine.load_suite(options.environment));
    given = std::move(suite);
  }
  const RowEnvironments environments{engine.registry(), given.environments,
                                     "; those of a file, a pool or a run: --environment PATH"};
  const RowOptions how{.raw = options.raw,
                       .marker = *kMarkerNames.find(options.marker),
                       .reading = *kAnswerReadingNames.find(options.reading),
                       .thoughts = *kThoughtReadingNames.find(options.thoughts),
                       .max_bytes = options.max_bytes,
                       .grounds = true};
  std::ios::sync_with_stdio(false);
  for (auto lines = read_lines(); !lines.empty(); lines = read_lines()) {
    for (const Json& verdict : score_to_rows(lines, environments, how))
      std::cout << dump_json(verdict) << '\n';
    std::cout.flush();
    if (!std::cout) return failure("standard output cannot be written");
  }
  return {};
}

// ------------------------------------------------------------------------------------------------
// check: the promises that can be tested without a test suite

struct GymCheckOptions {
  ConfigurationOptions configuration;
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

Status gym_check(const GymCheckOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  std::vector<const Environment*> environments;
  std::vector<Suite> owners;
  for (const std::string& name : options.names) {
    if (engine.registry().find(name) == nullptr && is_there(name)) {
      ASSIGN_OR_RETURN(auto suite, engine.load_suite(name));
      environments.insert(environments.end(), suite.environments.begin(), suite.environments.end());
      owners.push_back(std::move(suite));
      continue;
    }
    ASSIGN_OR_RETURN(const auto environment, engine.registry().get(name));
    environments.push_back(environment);
  }
  if (environments.empty()) environments = engine.registry().all();
  std::size_t faulty = 0;
  for (const Environment* environment : environments) {
    std::string fault;
    for (int level : {0, 1, 2, 3, 5, 8, 12}) {
      if (level > environment->card().max_level || !fault.empty()) break;
      fault = fault_at(*environment, level, options.problems);
    }
    faulty += !fault.empty();
    say("{:<46} {}\n", environment->name(), fault.empty() ? "sound" : fault);
  }
  if (faulty > 0) return failure("{} of {} environments are faulty", faulty, environments.size());
  return {};
}

}  // namespace

void add_gym(Command app) {
  Command gym = app.add_subcommand("gym", "Look at environments, make problems, score responses");
  gym.require_subcommand();

  {
    Command command = gym.add_subcommand("list", "List all environments");
    auto options = std::make_shared<GymListOptions>();
    command.add_option("--family", options->family, "Only those of this family");
    command.add_flag("--json", options->json, "One JSON object a line");
    command.set_work(options, gym_list);
  }
  {
    Command command =
        gym.add_subcommand("show", "Show an environment's card and two of its problems");
    auto options = std::make_shared<GymShowOptions>();
    command.add_option("name,--environment", options->name, kEnvironmentHelp).required();
    options->configuration.add_to(command);
    command.set_work(options, gym_show);
  }
  {
    Command command = gym.add_subcommand("sample", "Show problems with their reference answers");
    auto options = std::make_shared<SampleOptions>();
    command.add_option("name,--environment", options->name, kEnvironmentHelp).required();
    command.add_option("--level", options->level, "Difficulty, from 0")
        .non_negative()
        .show_default();
    command.add_option("--seed", options->seed, "Seed of the first problem; the next ones follow")
        .show_default();
    command.add_option("--salt", options->salt, "Salt of the run").show_default();
    command.add_option("--count", options->count, "How many").positive().show_default();
    options->configuration.add_to(command);
    command.set_work(options, sample_problems);
  }
  {
    Command command = gym.add_subcommand("check", "Test the promises of environments");
    auto options = std::make_shared<GymCheckOptions>();
    command.add_option("name,--environment", options->names,
                       "Environments, or paths as for show (default: all of this build)");
    command.add_option("--problems", options->problems, "Problems a level")
        .positive()
        .show_default();
    options->configuration.add_to(command);
    command.set_work(options, gym_check);
  }
  {
    Command command = gym.add_subcommand("generate", "Write problems as JSON lines");
    auto options = std::make_shared<GenerateOptions>();
    command.add_option("name,--environment", options->name, kEnvironmentHelp).required();
    command.add_option("--level", options->level, "Difficulty, from 0")
        .non_negative()
        .show_default();
    command.add_option("--seed", options->seed, "Seed of the first problem; the next ones follow")
        .show_default();
    command
        .add_option("--split", options->split, "train, or the problems that evaluation asks: test")
        .choices({"train", "test"})
        .show_default();
    command.add_option("--salt", options->salt,
                       "Another number makes other problems; 0 is the test split (default: 1)");
    command.add_option("--count", options->count, "How many").positive().show_default();
    command
        .add_option(
            "--prompt", options->format,
            "Prompt format: plain, boxed, chatml, think, terse, bare, or text with {problem} in it")
        .show_default();
    options->configuration.add_to(command);
    command.set_work(options, generate);
  }
  {
    Command command = gym.add_subcommand("score",
                                         "Read {\"environment\",\"parameter\",\"response\"} as "
                                         "JSON lines, write a verdict or an error for each");
    auto options = std::make_shared<GymScoreOptions>();
    command.add_option("--environment", options->environment,
                       "Environments that lines name besides those of this build: a Python file, a "
                       "data set (.jsonl), a folder, a pool, a run");
    command.add_flag("--raw", options->raw, "The response is the bare answer");
    const auto markers = kMarkerNames.names();
    command.add_option("--marker", options->marker, "How responses mark the answer")
        .choices({markers.begin(), markers.end()})
        .show_default();
    command
        .add_option("--reading", options->reading,
                    "How answers are read: strict, as published, or tolerant of marks, LaTeX and "
                    "brackets")
        .choices({"strict", "tolerant"})
        .show_default();
    command
        .add_option("--thoughts", options->thoughts,
                    "What of a response is searched for its answer: whole; closed: what is behind "
                    "the last </think>, nothing where a thought is not closed; behind: nothing "
                    "either where there is no </think>")
        .choices({"whole", "closed", "behind"})
        .show_default();
    command.add_option("--max-response-bytes", options->max_bytes, "A longer response is malformed")
        .show_default();
    options->configuration.add_to(command);
    command.set_work(options, score);
  }
  add_gym_audit(gym);
  add_gym_gallery(gym);
  add_gym_play(gym);
}

}  // namespace redqueen
