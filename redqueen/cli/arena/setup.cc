#include "redqueen/cli/arena/setup.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "redqueen/arena/judge/core16.h"
#include "redqueen/arena/simulators/setup.h"

namespace redqueen {
namespace {

struct SetupOptions {
  arena::SetupPlan plan;
  std::string to;
  std::string wheels;
  bool check = false;
};

std::string names_of(const std::vector<arena::Requirement>& requirements) {
  std::string names;
  for (const arena::Requirement& each : requirements) {
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", each.distribution, each.version);
  }
  return names;
}

std::string line_of(const arena::SetupState& state) {
  if (!state.complete()) {
    const std::string reason = state.reason.empty() ? "" : fmt::format(": {}", state.reason);
    return fmt::format("missing {}{}", names_of(state.missing), reason);
  }
  return state.there.empty() ? "native, needs nothing" : "there: " + names_of(state.there);
}

Status setup(SetupOptions& options) {
  arena::SetupPlan& plan = options.plan;
  plan.folder = options.to;
  plan.wheels = options.wheels;
  for (std::string& name : plan.environments) name = arena::simulator_id_of(name);
  ASSIGN_OR_RETURN(const auto folder, arena::folder_of(plan));
  ASSIGN_OR_RETURN(const auto states,
                   options.check ? arena::look_at_setup(plan) : arena::set_up(plan));
  fmt::print("profile {} in {}\n", plan.profile, folder.string());
  int broken = 0;
  for (const arena::SetupState& state : states) {
    fmt::print("{:<24} {}\n", state.environment, line_of(state));
    if (options.check || !state.complete()) continue;
    std::fflush(stdout);
    const auto played = arena::play_after_setup(plan, state.environment);
    fmt::print("{:<24} {}\n", "",
               played ? fmt::format("played: {} steps, the same twice", played->steps / 2)
                      : "cannot be played: " + played.error().message);
    broken += played ? 0 : 1;
  }
  const auto missing = std::ranges::count_if(
      states, [](const arena::SetupState& state) { return !state.complete(); });
  if (missing > 0) {
    std::fflush(stdout);
    return failure("{} of {} environments lack packages{}", missing, states.size(),
                   options.check ? "; without --check they are installed" : "");
  }
  if (broken > 0) {
    std::fflush(stdout);
    return failure("{} of {} environments have their packages and cannot be played", broken,
                   states.size());
  }
  const bool made = std::ranges::any_of(
      states, [](const arena::SetupState& state) { return !state.there.empty(); });
  if (made && !options.to.empty()) {
    fmt::print("judges find it with: export REDQUEEN_ARENA_PACKAGES={}\n", folder.string());
  }
  return {};
}

}  // namespace

void add_arena_setup(Command arena) {
  Command command = arena.add_subcommand(
      "setup", "Install the Python packages that environments need, in the versions of a profile");
  auto options = std::make_shared<SetupOptions>();
  command.add_option("--profile", options->plan.profile, "Versions of the packages")
      .choices({"paper", "current"})
      .show_default();
  command
      .add_option("--environment", options->plan.environments,
                  "Environment to set up (repeat; default: all that need packages)")
      .one_value_each();
  command.add_option("--to", options->to,
                     "Folder of the virtual environment (default: redqueen/arena/PROFILE below "
                     "$XDG_DATA_HOME or ~/.local/share, where judges look)");
  command.add_option("--wheels", options->wheels, "Install from this folder of wheels, no network");
  command.add_option("--index", options->plan.index, "URL of another index of packages");
  command.add_option("--python", options->plan.python, "Python that the environment is made with")
      .show_default();
  command.add_flag("--check", options->check, "Only say what is there and what is missing");
  command.set_work(options, setup);
}

}  // namespace redqueen
