// redqueen arena: agents improve policies under a budget of episodes, and a judge scores them.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "redqueen/arena/agents/cli_agents.h"
#include "redqueen/arena/agents/command_agent.h"
#include "redqueen/arena/agents/isolation.h"
#include "redqueen/arena/agents/scripted_agent.h"
#include "redqueen/arena/environments/hosted.h"
#include "redqueen/arena/environments/packages.h"
#include "redqueen/arena/judge/core16.h"
#include "redqueen/arena/judge/diagnostics.h"
#include "redqueen/arena/judge/judge.h"
#include "redqueen/arena/judge/judge_folder.h"
#include "redqueen/arena/judge/leaderboard.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/arena/judge/run_report.h"
#include "redqueen/arena/judge/study.h"
#include "redqueen/arena/protocols/session_server.h"
#include "redqueen/arena/protocols/v0_server.h"
#include "redqueen/arena/simulators/simulator_check.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/cli/arena/cases.h"
#include "redqueen/cli/arena/model.h"
#include "redqueen/cli/arena/setup.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/recipes/recipes.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// --- the sandbox of policies --------------------------------------------------------------------

struct PolicySandbox {
  std::unique_ptr<arena::PolicySeats> seats;
  bool numpy = false;
};

bool has_numpy(const fs::path& packages) {
  std::error_code ignored;
  return fs::exists(packages / "numpy" / "__init__.py", ignored);
}

// Where numpy lies: as the configuration says, with the system's Python, or in the source tree's
// .venv; empty: nowhere.
std::string numpy_folder(const sandbox::SandboxConfig& config, const Resources& resources) {
  for (const fs::path& packages :
       {fs::path(config.data_packages), fs::path("/usr/lib/python3/dist-packages"),
        arena::packages_of_venv(resources.source_tree() / ".venv")}) {
    if (!packages.empty() && has_numpy(packages)) return packages.string();
  }
  return {};
}

Expected<PolicySandbox> start_policy_sandbox(const ConfigurationOptions& configuration, int workers,
                                             const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(configuration, resources));
  sandbox::SandboxConfig config = sandbox_config(resolved.settings);
  config.preludes = {arena::policy_host_text()};
  if (workers > 0) config.workers = workers;
  config.data_packages = numpy_folder(config, resources);
  const bool numpy = !config.data_packages.empty();
  ASSIGN_OR_RETURN(auto seats, arena::PolicySeats::start(config));
  return PolicySandbox{.seats = std::move(seats), .numpy = numpy};
}

// --- run ----------------------------------------------------------------------------------------

struct ArenaRunOptions {
  ConfigurationOptions configuration;
  std::string env;
  std::string run;
  std::string agent = "scripted";
  std::string policy;
  std::string model;
  std::vector<std::string> command;
  std::vector<std::string> agent_environment;
  std::vector<std::string> agent_paths;
  bool open = false;  // no isolation
  int budget = 128;
  int minimum = 1;
  int maximum = 128;
  int validation = 16;
  int heldout = 32;
  int workers = 0;
  int turns = 0;
  int port = 0;
  int episodes = 4;
  std::optional<std::uint64_t> seed;
  std::string profile = "paper";
  std::string protocol = "v0";
  bool paper_cases = false;
  std::string cases;
  bool strict_v0 = false;
  bool fresh = false;
  bool finish_early = false;
  bool require_budget = false;

  [[nodiscard]] bool has_program() const {
    return agent != "scripted" && agent != "model" && agent != "random";
  }
  // An agent that is built in reaches nothing but the workspace; one that we do not start, whatever
  // it likes.
  [[nodiscard]] bool isolated() const { return !has_program() || (agent != "none" && !open); }

  [[nodiscard]] arena::RunSettings settings() const {
    arena::RunSettings settings;
    settings.env = arena::simulator_id_of(env);
    settings.profile = profile;
    settings.budget = budget;
    settings.minimum = minimum;
    settings.maximum = maximum;
    settings.sizes.validation = validation;
    settings.sizes.heldout = heldout;
    settings.paper_cases = paper_cases;
    if (!cases.empty()) settings.cases_folder = fs::path(cases) / settings.env;
    settings.seed = seed;
    settings.strict_v0 = strict_v0;
    settings.protocol = *arena::kProtocolNames.find(protocol);
    settings.require_budget = require_budget;
    settings.isolated = isolated();
    // The session protocol's rule: no policy knows what it did in another episode.
    settings.fresh_policy_per_episode = fresh || settings.protocol == arena::Protocol::kSession;
    return settings;
  }
};

bool has_ended(const arena::RunState& state) { return state.finalized || state.chosen; }

// The way to the judge, open as long as this lives.
struct Door {
  std::optional<arena::V0Server> http;
  std::unique_ptr<arena::SessionServer> session;

  [[nodiscard]] arena::V0Address address() const {
    return http ? http->address() : arena::V0Address();
  }
};

Expected<Door> open_door(const ArenaRunOptions& options, arena::Judge& judge, bool numpy) {
  Door door;
  if (judge.settings().protocol == arena::Protocol::kSession) {
    ASSIGN_OR_RETURN(door.session, arena::SessionServer::start(judge));
    fmt::print("judge at {} (evopolicygym-session submit, finish)\n",
               (judge.folder() / "control" / "session.sock").string());
  } else {
    ASSIGN_OR_RETURN(
        door.http, arena::V0Server::start(judge, numpy, static_cast<std::uint16_t>(options.port)));
    const arena::V0Address address = door.address();
    fmt::print("judge at {} (GET /info, GET /task, POST /submit)\n", address.url);
    if (options.agent == "none") fmt::print("submit to {}\n", address.submit_url());
  }
  std::fflush(stdout);
  return door;
}

bool is_cli_agent(const std::string& name) {
  const std::vector<std::string> names = arena::cli_agent_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> agent_names() {
  std::vector<std::string> names = arena::cli_agent_names();
  for (const char* built_in : {"scripted", "random", "model", "command", "none"})
    names.emplace_back(built_in);
  return names;
}

// A command agent, or a coding program that becomes one.
Expected<arena::CommandAgent> arena_command_of(const ArenaRunOptions& options) {
  arena::CommandAgent agent;
  if (is_cli_agent(options.agent)) {
    ASSIGN_OR_RETURN(agent, arena::cli_agent(options.agent, options.model, options.command));
  } else {
    agent.words = options.command;
  }
  agent.environment.insert(agent.environment.end(), options.agent_environment.begin(),
                           options.agent_environment.end());
  agent.isolated = !options.open;
  agent.paths = options.agent_paths;
  agent.turns = options.turns;
  return agent;
}

Expected<arena::AgentEnd> run_agent(const ArenaRunOptions& options, const Resources& resources,
                                    arena::Judge& judge, const PolicySandbox& policies) {
  const bool numpy = policies.numpy;
  if (options.agent == "model") {
    ASSIGN_OR_RETURN(
        std::string reason,
        run_model_agent({.policy = options.policy, .model = options.model, .turns = options.turns},
                        options.configuration, resources, judge, *policies.seats, numpy));
    return arena::AgentEnd{.reason = std::move(reason)};
  }
  if (options.agent == "scripted") {
    arena::ScriptedAgent agent{.seed = options.seed.value_or(0), .episodes = options.episodes};
    agent.on_submission = [](int submission, double mean, double best) {
      fmt::print("submission {:>3}: mean return {:>10.3f}, best {:>10.3f}\n", submission, mean,
                 best);
      std::fflush(stdout);
    };
    RETURN_IF_ERROR(arena::run_scripted_agent(agent, judge, numpy, interrupt_requested()));
    return arena::AgentEnd{.reason = judge.state().finalized ? "done" : "interrupted"};
  }
  if (options.agent == "random") {
    RETURN_IF_ERROR(arena::submit_random_policy(judge));
    RETURN_IF_ERROR(judge.close());
    return arena::AgentEnd{.reason = "done"};
  }
  ASSIGN_OR_RETURN(const Door door, open_door(options, judge, numpy));
  if (options.agent != "none") {
    ASSIGN_OR_RETURN(const arena::CommandAgent agent, arena_command_of(options));
    return arena::run_command_agent(agent, judge, door.address(), interrupt_requested());
  }
  while (!has_ended(judge.state()) && !interrupt_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return arena::AgentEnd{.reason = has_ended(judge.state()) ? "done" : "interrupted"};
}

Status print_record(const arena::Judge& judge, const arena::AgentEnd& end) {
  const Json record = judge.record();
  Json line = {{"done", !record.is_null()},
               {"reason", end.reason},
               {"run", judge.folder().string()},
               {"submits", judge.state().submissions},
               {"remaining_budget", judge.state().remaining_budget}};
  if (!record.is_null()) {
    line["status"] = record["status"];
    line["selected_submit"] = record["selected_submit"];
    line["score"] = record["score"];
  }
  fmt::print("{}\n", dump_json(line));
  if (!record.is_null() || end.reason == "interrupted") return {};
  const std::string log = (judge.folder() / "logs" / "agent.stderr.txt").string();
  if (end.reason == "agent_failed") {
    return failure(
        "the agent's program failed: {} ({} may say more). {} episodes are left and the run stays "
        "open: the same command goes on, `redqueen arena close {}` closes it as it is",
        end.said.empty() ? "it said nothing" : "\"" + end.said + "\"", log,
        judge.state().remaining_budget, judge.folder().string());
  }
  return failure(
      "the agent ended ({}) with {} episodes left, and the run stays open: the same command goes "
      "on, "
      "`redqueen arena close {}` closes it as it is",
      end.reason, judge.state().remaining_budget, judge.folder().string());
}

void tell_what_an_open_agent_reads(const ArenaRunOptions& options, const arena::Judge& judge) {
  const std::string own = (judge.folder() / "judge").string();
  const bool shut = arena::is_shut_to_this_user(own);
  const std::string cases =
      options.cases.empty() ? "" : fmt::format(" It can read the cases in {}.", options.cases);
  if (shut && options.agent != "none") {
    fmt::print(
        "the agent is not isolated: it can read and change what this user's files are, other runs "
        "among them, but not {} with the hidden cases of this run, which is another user's.{} The "
        "record says that it was open.\n",
        own, cases);
    return;
  }
  fmt::print(
      "the agent is not isolated: {} can read the hidden cases and the secrets in {}, and all else "
      "that this user can.{} The record says that it was open.\n",
      shut ? "a program with root's capabilities" : "it", own, cases);
}

Status arena_run(const ArenaRunOptions& options, const Resources& resources) {
  if (options.agent == "command" && options.command.empty()) {
    return usage_error("--agent command: name the program after --, e.g. -- python3 agent.py");
  }
  if (options.agent == "model" && options.policy.empty()) {
    return usage_error(
        "--agent model: name it with --policy, e.g. openai:http://127.0.0.1:8000/v1");
  }
  // Before a run is begun for a program that is not there.
  if (is_cli_agent(options.agent)) RETURN_IF_ERROR(arena_command_of(options));
  if (options.has_program() && options.isolated()) RETURN_IF_ERROR(arena::check_isolation());
  if (options.agent == "model" && options.turns == 1) {
    return usage_error(
        "--turns 1: a model needs a turn to write a policy and one to run or submit it; give 2 or "
        "more, or 0 for the budget's");
  }
  if (!options.has_program() && options.protocol == "session") {
    return usage_error("--protocol session: the agents that are built in speak v0 only");
  }
  const arena::RunSettings settings = options.settings();
  RETURN_IF_ERROR(arena::check(settings));
  ASSIGN_OR_RETURN(auto policies,
                   start_policy_sandbox(options.configuration, options.workers, resources));
  install_interrupt();
  ASSIGN_OR_RETURN(const auto judge, arena::Judge::open(options.run, settings,
                                                        {.seats = policies.seats.get(),
                                                         .numpy = policies.numpy,
                                                         .packages = {},
                                                         .workers = options.workers}));
  if (!judge->settings().isolated) tell_what_an_open_agent_reads(options, *judge);
  fmt::print("the cases are those of sha256 {}; cases.json reveals them when the run has closed\n",
             judge->commitment());
  ASSIGN_OR_RETURN(const arena::AgentEnd end, run_agent(options, resources, *judge, policies));
  // A session that has ended closes; so does one whose agent has nothing left to submit with.
  const arena::RunState state = judge->state();
  const bool over = judge->settings().protocol == arena::Protocol::kSession &&
                    (state.chosen || state.remaining_budget < judge->settings().minimum);
  if ((over || options.finish_early) && end.reason != "interrupted")
    RETURN_IF_ERROR(judge->close());
  return print_record(*judge, end);
}

// Who plays.
void add_agent(Command command, ArenaRunOptions& options) {
  command
      .add_option(
          "--agent", options.agent,
          fmt::format("scripted: random search over constants; random: the uniformly random "
                      "policy, submitted once; model: a language model "
                      "with tools (--policy); {}: that coding program, which must be on "
                      "PATH; command: the program after --; none: only serve the protocol",
                      fmt::join(arena::cli_agent_names(), ", ")))
      .choices(agent_names())
      .show_default();
  command.add_option("--policy", options.policy,
                     "Of --agent model: a folder, hf:DIR, or openai:URL of a chat endpoint");
  command.add_option("--model", options.model,
                     "The model: as the endpoint, or the coding program, names it");
  command.add_option("command", options.command,
                     "The agent's program and its arguments, after --; of a coding program, "
                     "options for each of its calls");
  command
      .add_option("--agent-env", options.agent_environment,
                  "Variable of the environment that the agent may see (repeat)")
      .one_value_each();
  command.add_flag("--no-isolate", options.open,
                   "Let the agent's program see all files of this user, the judge's cases among "
                   "them; otherwise it sees its workspace and the system's programs (bubblewrap)");
  command
      .add_option("--agent-path", options.agent_paths,
                  "File or folder that the isolated agent may read besides (repeat)")
      .one_value_each();
  command.add_option("--episodes", options.episodes, "Of a submission of the scripted agent")
      .range(1, 100'000)
      .show_default();
  command.add_flag("--finish-early", options.finish_early,
                   "Close the run when the agent ends, even with budget left");
  command.add_option("--turns", options.turns, "Most turns of a command agent (0: the budget)")
      .range(0, 1'000'000);
  command.add_option("--port", options.port, "Of the protocol (0: a free one)").range(0, 65535);
}

// The terms of a run, whoever plays.
void add_rules(Command command, ArenaRunOptions& options) {
  command.add_option("--budget", options.budget, "Training episodes of the run")
      .range(1, 1'000'000)
      .show_default();
  command.add_option("--minimum", options.minimum, "Least episodes of a submission")
      .range(1, 1'000'000)
      .show_default();
  command.add_option("--maximum", options.maximum, "Most episodes of a submission")
      .range(1, 1'000'000)
      .show_default();
  command.add_option("--validation,--valid-size", options.validation, "Validation cases")
      .range(1, 100'000)
      .show_default();
  command.add_option("--heldout,--final-size", options.heldout, "Held-out cases")
      .range(1, 100'000)
      .show_default();
  command.add_option("--seed", options.seed,
                     "Draw the cases from this seed (default: from the system's entropy)");
  command.add_flag("--paper-cases", options.paper_cases,
                   "The public cases of EvoPolicyGym v0.1.0; the record says so");
  command.add_option(
      "--cases", options.cases,
      "Folder that `redqueen arena cases make` wrote: the same cases for every agent");
  command.add_option("--profile", options.profile, "Versions of the environments")
      .choices({"paper", "current"})
      .show_default();
  command
      .add_option("--protocol", options.protocol,
                  "v0: HTTP, the run closes when the budget is spent; session: a Unix socket, "
                  "the agent ends its search")
      .choices({"v0", "session"})
      .show_default();
  command.add_flag("--strict-v0", options.strict_v0,
                   "One exception of a policy spoils its submission, as in v0.1.0");
  command.add_flag("--fresh-policy-per-episode", options.fresh,
                   "A new process for every episode; episodes then run side by side");
  command.add_flag("--require-budget", options.require_budget,
                   "A session's agent cannot finish while it has budget left");
  command.add_option("--workers", options.workers, "Episodes at a time (0: one per core)")
      .range(0, 1024);
}

// What `run` and `suite` have in common.
void add_terms(Command command, ArenaRunOptions& options) {
  add_agent(command, options);
  add_rules(command, options);
}

void arena_add_run(Command arena) {
  Command command = arena.add_subcommand(
      "run", "Begin a run, or go on with one: an agent submits policies until the budget is spent");
  auto options = std::make_shared<ArenaRunOptions>();
  command.add_option("--env", options->env, "Environment: Gymnasium's id, or a name of Core16")
      .required();
  command.add_option("--run", options->run, "Folder of the run; one that is there goes on")
      .required();
  add_terms(command, *options);
  options->configuration.add_to(command);
  command.set_work(options, arena_run);
}

// --- suite --------------------------------------------------------------------------------------

struct SuiteOptions {
  ArenaRunOptions terms;
  std::string suite;
  std::string out;
  std::string name;
  int experiments = 1;
};

// OUT/NAME/ENVIRONMENT/EXPERIMENT, as the leaderboard reads it; one that is closed is not made
// again.
Status run_experiment(const SuiteOptions& options, const std::string& env, int experiment,
                      const Resources& resources) {
  ArenaRunOptions one = options.terms;
  one.env = env;
  one.run = (fs::path(options.out) / options.name / env / fmt::to_string(experiment)).string();
  if (one.seed) *one.seed += static_cast<std::uint64_t>(experiment - 1);
  if (is_there(fs::path(one.run) / "run.json")) return {};
  fmt::print("{}\n", one.run);
  return arena_run(one, resources);
}

Status run_suite(SuiteOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const std::vector<std::string> environments,
                   environments_of_suite(options.suite));
  if (options.name.empty()) options.name = options.terms.agent;
  std::vector<std::string> failures;
  for (const std::string& env : environments) {
    for (int experiment = 1; experiment <= options.experiments; ++experiment) {
      const Status status = run_experiment(options, env, experiment, resources);
      if (interrupt_requested()) return {};
      if (status) continue;
      failures.push_back(env);
      fmt::print(stderr, "redqueen: {}: {}\n", env, status.error().message);
      break;
    }
  }
  if (failures.empty()) return {};
  return failure("{} of {} environments did not finish: {}. The same command goes on with them.",
                 failures.size(), environments.size(), fmt::join(failures, ", "));
}

void add_suite(Command arena) {
  Command command = arena.add_subcommand(
      "suite", "Runs over several environments, one after another; called again, it goes on");
  auto options = std::make_shared<SuiteOptions>();
  command.add_option("suite", options->suite, "core16, or environments separated by commas")
      .required();
  command.add_option("--out", options->out, "Folder of the runs, AGENT/ENVIRONMENT/EXPERIMENT")
      .required();
  command.add_option("--name", options->name, "Of the agent (default: --agent)");
  command.add_option("--experiments", options->experiments, "Runs of each environment")
      .range(1, 1000)
      .show_default();
  add_terms(command, options->terms);
  options->terms.configuration.add_to(command);
  command.set_work(options, run_suite);
}

// --- random -------------------------------------------------------------------------------------

void add_random(Command arena) {
  Command command = arena.add_subcommand(
      "random", "Score the uniformly random policy: the reference that a leaderboard counts");
  auto options = std::make_shared<SuiteOptions>();
  options->terms.agent = options->name = "random";
  command.add_option("--env", options->suite, "core16, or environments separated by commas")
      .required();
  command.add_option("--out", options->out, "Folder of the runs, random/ENVIRONMENT/EXPERIMENT")
      .required();
  command.add_option("--experiments", options->experiments, "Runs of each environment")
      .range(1, 1000)
      .show_default();
  add_rules(command, options->terms);
  options->terms.configuration.add_to(command);
  command.set_work(options, run_suite);
}

// --- close --------------------------------------------------------------------------------------

struct CloseOptions {
  ConfigurationOptions configuration;
  std::string run;
  int workers = 0;
};

Status close_run(const CloseOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const arena::RunSettings settings, arena::settings_of_run(options.run));
  ASSIGN_OR_RETURN(auto policies,
                   start_policy_sandbox(options.configuration, options.workers, resources));
  ASSIGN_OR_RETURN(const auto judge, arena::Judge::open(options.run, settings,
                                                        {.seats = policies.seats.get(),
                                                         .numpy = policies.numpy,
                                                         .packages = {},
                                                         .workers = options.workers}));
  RETURN_IF_ERROR(judge->close());
  return print_record(*judge, {.reason = "closed"});
}

void add_close(Command arena) {
  Command command =
      arena.add_subcommand("close", "Close a run with what was submitted, though budget is left");
  auto options = std::make_shared<CloseOptions>();
  command.add_option("run", options->run, "Folder of the run").required();
  command.add_option("--workers", options->workers, "Episodes at a time (0: one per core)")
      .range(0, 1024);
  options->configuration.add_to(command);
  command.set_work(options, close_run);
}

// --- check, list --------------------------------------------------------------------------------

struct ArenaCheckOptions {
  std::vector<std::string> envs;
  std::string profile = "paper";
  int episodes = 3;
  std::uint64_t seed = 0;
};

Status arena_check(const ArenaCheckOptions& options) {
  for (const std::string& name : options.envs) {
    ASSIGN_OR_RETURN(const auto simulator, arena::make_simulator(arena::simulator_id_of(name),
                                                                 {.profile = options.profile}));
    ASSIGN_OR_RETURN(const auto found,
                     arena::check_simulator(*simulator, options.episodes, options.seed));
    fmt::print(
        "{}: {} episodes played twice, {} steps, the same both times; {:.0f} steps a second\n",
        simulator->card().id, found.episodes, found.steps, found.steps_per_second);
  }
  return {};
}

void add_check(Command arena) {
  Command command = arena.add_subcommand(
      "check", "Reset, step and replay environments, and hold what they tell against their spaces");
  auto options = std::make_shared<ArenaCheckOptions>();
  command.add_option("env", options->envs, "Environments").required();
  command.add_option("--profile", options->profile, "Versions of the environments")
      .choices({"paper", "current"})
      .show_default();
  command.add_option("--episodes", options->episodes, "Episodes")
      .range(1, 1'000'000)
      .show_default();
  command.add_option("--seed", options->seed, "Seed of cases and actions");
  command.set_work(options, arena_check);
}

void add_list(Command arena) {
  Command command = arena.add_subcommand("list", "The environments that there are");
  command.set_work(std::make_shared<int>(), [](int) -> Status {
    const auto print = [](std::string_view id, std::string_view end) {
      const arena::Core16Entry* entry = arena::find_core16(id);
      fmt::print("{}{}{}\n", id, entry != nullptr ? fmt::format("  (Core16, {})", entry->site) : "",
                 end);
    };
    for (const std::string_view id : arena::simulator_ids()) print(id, "");
    for (const std::string_view id : arena::hosted_simulator_ids()) print(id, "  runs in Python");
    return {};
  });
}

// --- report -------------------------------------------------------------------------------------

struct ArenaReportOptions {
  ConfigurationOptions configuration;
  std::string run;
  std::string out;
  bool json = false;
  bool replays = false;
};

// A sandbox in which the sources of policies are parsed.
Expected<sandbox::Sandbox> start_reading_sandbox(const ConfigurationOptions& configuration,
                                                 const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(configuration, resources));
  sandbox::SandboxConfig config = sandbox_config(resolved.settings);
  config.workers = 1;
  return sandbox::Sandbox::start(config);
}

Expected<Json> diagnose(const ArenaReportOptions& options, const Resources& resources) {
  RETURN_IF_ERROR(arena::record_of_run(options.run));  // before a sandbox is started
  ASSIGN_OR_RETURN(sandbox::Sandbox sandbox,
                   start_reading_sandbox(options.configuration, resources));
  return arena::diagnose_run(options.run, sandbox);
}

void add_report_of_run(Command arena) {
  Command command = arena.add_subcommand(
      "report", "Write a page of a closed run: curve, submissions, edits, episodes");
  auto options = std::make_shared<ArenaReportOptions>();
  command.add_option("run", options->run, "Folder of the run").required();
  command.add_option("--out", options->out, "Folder to write (default: RUN/report)");
  command.add_flag("--replays", options->replays,
                   "Play the best and the worst training episode of the selected submission again, "
                   "drawn by Gymnasium");
  options->configuration.add_to(command);
  command.set_work(options,
                   [](const ArenaReportOptions& given, const Resources& resources) -> Status {
                     ASSIGN_OR_RETURN(const Json diagnosis, diagnose(given, resources));
                     const fs::path out =
                         given.out.empty() ? fs::path(given.run) / "report" : fs::path(given.out);
                     std::vector<arena::Replay> replays;
                     if (given.replays) {
                       ASSIGN_OR_RETURN(const Json record, arena::record_of_run(given.run));
                       ASSIGN_OR_RETURN(replays, arena::replay_best_and_worst(given.run, record));
                     }
                     ASSIGN_OR_RETURN(const fs::path page,
                                      arena::write_run_report(given.run, out, diagnosis, replays));
                     fmt::print("{}\n", page.string());
                     return {};
                   });
}

void add_diagnose(Command arena) {
  Command command = arena.add_subcommand(
      "diagnose", "What an agent's edits were, and which of them raised its best score");
  auto options = std::make_shared<ArenaReportOptions>();
  command.add_option("run", options->run, "Folder of a closed run").required();
  command.add_flag("--json", options->json, "One JSON object");
  options->configuration.add_to(command);
  command.set_work(
      options, [](const ArenaReportOptions& given, const Resources& resources) -> Status {
        ASSIGN_OR_RETURN(const Json diagnosis, diagnose(given, resources));
        fmt::print("{}",
                   given.json ? dump_json(diagnosis) + "\n" : arena::diagnosis_text(diagnosis));
        return {};
      });
}

// --- study --------------------------------------------------------------------------------------

struct StudyOptions {
  ConfigurationOptions configuration;
  std::string folder;
  std::string out;
  bool json = false;
  bool mixed_cases = false;
};

Status study(const StudyOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto table, arena::collect_results(options.folder, options.mixed_cases));
  ASSIGN_OR_RETURN(sandbox::Sandbox sandbox,
                   start_reading_sandbox(options.configuration, resources));
  ASSIGN_OR_RETURN(const Json found, arena::study_runs(options.folder, table, sandbox));
  if (options.json) {
    fmt::print("{}\n", dump_json(found));
    return {};
  }
  const fs::path out =
      options.out.empty() ? fs::path(options.folder) / "study" : fs::path(options.out);
  ASSIGN_OR_RETURN(const fs::path page, arena::write_study(found, out));
  fmt::print("{}\n", page.string());
  return {};
}

void add_study(Command arena) {
  Command command = arena.add_subcommand(
      "study", "Write a page that compares agents over environments: means, edits, structure");
  auto options = std::make_shared<StudyOptions>();
  command.add_option("folder", options->folder, "Folder with AGENT/ENVIRONMENT/EXPERIMENT/run.json")
      .required();
  command.add_option("--out", options->out, "Folder to write (default: FOLDER/study)");
  command.add_flag("--json", options->json, "Print it as one JSON object and write nothing");
  command.add_flag("--mixed-cases", options->mixed_cases,
                   "Take runs whose agents were given different cases");
  options->configuration.add_to(command);
  command.set_work(options, study);
}

// --- leaderboard --------------------------------------------------------------------------------

struct LeaderboardOptions {
  std::string path;
  bool json = false;
  bool mixed_cases = false;
};

Json interval_json(const run::Interval& interval) { return {interval.low, interval.high}; }

// The agent's raw means and its differences to every other, environment by environment.
Json agent_json(const arena::ResultTable& table, const arena::Standing& standing,
                const std::vector<arena::PairedDifference>& differences) {
  const auto agent = static_cast<std::size_t>(
      std::find(table.agents.begin(), table.agents.end(), standing.agent) - table.agents.begin());
  Json means = Json::object();
  for (std::size_t e = 0; e < table.environments.size(); ++e) {
    const auto score = table.scores[agent][e];
    means[table.environments[e].id] = score ? Json(*score) : Json();
  }
  Json list = Json::array();
  for (const arena::PairedDifference& each : differences) {
    if (each.first != standing.agent && each.second != standing.agent) continue;
    const bool first = each.first == standing.agent;
    const run::Interval turned{.low = -each.interval.high, .high = -each.interval.low};
    list.push_back({{"env", each.env},
                    {"other", first ? each.second : each.first},
                    {"cases", each.cases},
                    {"mean", first ? each.mean : -each.mean},
                    {"interval", interval_json(first ? each.interval : turned)}});
  }
  return {
      {"agent", standing.agent},
      {"rank_score", standing.rank_score},
      {"rank_interval", standing.rank_interval ? interval_json(*standing.rank_interval) : Json()},
      {"wins", standing.wins},
      {"clear_wins", standing.clear_wins ? Json(*standing.clear_wins) : Json()},
      {"top_two", standing.top_two},
      {"without_score", standing.without_score},
      {"faults", standing.faults},
      {"synthesis", standing.synthesis},
      {"tuning", standing.tuning},
      {"families", standing.family_scores},
      {"means", means},
      {"differences", list},
      {"mixed_cases", table.mixed_cases}};
}

Status leaderboard(const LeaderboardOptions& options) {
  ASSIGN_OR_RETURN(const auto table, is_folder(options.path)
                                         ? arena::collect_results(options.path, options.mixed_cases)
                                         : arena::read_results(options.path));
  ASSIGN_OR_RETURN(const auto standings, arena::standings(table));
  if (!options.json) {
    fmt::print("{}", arena::leaderboard_text(table, standings));
    return {};
  }
  const auto differences = arena::paired_differences(table);
  for (const arena::Standing& each : standings) {
    fmt::print("{}\n", dump_json(agent_json(table, each, differences)));
  }
  return {};
}

void add_leaderboard(Command arena) {
  Command command = arena.add_subcommand(
      "leaderboard", "Rank agents by the paper's rank score, over runs or a table of results");
  auto options = std::make_shared<LeaderboardOptions>();
  command
      .add_option("path", options->path,
                  "Folder with AGENT/ENVIRONMENT/EXPERIMENT/run.json, or a JSON table")
      .required();
  command.add_flag("--json", options->json, "One JSON object a line");
  command.add_flag("--mixed-cases", options->mixed_cases,
                   "Compare runs whose agents were given different cases; the output says so");
  command.set_work(options, leaderboard);
}

}  // namespace

void add_arena(Command app) {
  Command arena = app.add_subcommand("arena", "Agents improve policies under a budget of episodes");
  arena.require_subcommand();
  arena_add_run(arena);
  add_suite(arena);
  add_random(arena);
  add_arena_cases(arena);
  add_close(arena);
  add_arena_setup(arena);
  add_check(arena);
  add_list(arena);
  add_report_of_run(arena);
  add_diagnose(arena);
  add_leaderboard(arena);
  add_study(arena);
}

}  // namespace redqueen
