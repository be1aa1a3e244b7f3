#include "redqueen/cli/arena/cases.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "redqueen/arena/environments/hosted.h"
#include "redqueen/arena/judge/case_pools.h"
#include "redqueen/arena/judge/core16.h"
#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/text.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const std::string& suite) {
  std::vector<std::string> environments;
  if (suite == "core16") {
    for (const arena::Core16Entry& entry : arena::core16()) environments.emplace_back(entry.id);
    return environments;
  }
  for (std::size_t begin = 0; begin <= suite.size();) {
    const std::size_t end = std::min(suite.find(',', begin), suite.size());
    environments.push_back(arena::simulator_id_of(suite.substr(begin, end - begin)));
    begin = end + 1;
  }
  return environments;
}

// Folders are made by the names of its environments: they must lie below its own.
Status check_folder_name(const std::string& env) {
  constexpr std::size_t kLongestName = 200;
  const fs::path path = env;
  const bool leads_out =
      path.is_absolute() || std::ranges::find(path, fs::path("..")) != path.end();
  if (env.empty() || env.size() > kLongestName || leads_out) {
    return usage_error("\"{}\" is no environment; `redqueen arena list` lists those that there are",
                       env.substr(0, kLongestName));
  }
  return {};
}

// What Gymnasium itself knows is asked where it runs: its packages need not be here.
Status check_environment(const std::string& env) {
  RETURN_IF_ERROR(check_folder_name(env));
  if (env.starts_with(arena::kHostedPrefix) && env.size() > arena::kHostedPrefix.size()) return {};
  std::vector<std::string_view> ids = arena::simulator_ids();
  for (const std::string_view id : arena::hosted_simulator_ids()) ids.push_back(id);
  if (std::ranges::find(ids, env) != ids.end()) return {};
  return usage_error(
      "there is no environment \"{0}\"{1}; `redqueen arena list` lists those that there are, and "
      "python:{0} is one of Gymnasium's",
      env, did_you_mean(env, ids));
}

struct CasesOptions {
  std::string folder;
  std::string env;
  std::optional<std::uint64_t> seed;
  arena::PoolSizes sizes;
};

// FOLDER/ENVIRONMENT/{train,validation,heldout}.json; each environment has cases of its own.
Status make_cases(const CasesOptions& options) {
  ASSIGN_OR_RETURN(const auto environments, environments_of_suite(options.env));
  for (const std::string& env : environments) {
    const fs::path folder = fs::path(options.folder) / env;
    if (is_there(folder / "heldout.json")) {
      return usage_error("{}: cases lie there already, and runs may have been played on them",
                         folder.string());
    }
  }
  const std::uint64_t seed = options.seed ? *options.seed : arena::system_entropy();
  for (const std::string& env : environments) {
    const fs::path folder = fs::path(options.folder) / env;
    Rng rng({.seed = seed, .purpose = hash_name("arena cases of"), .salt = hash_name(env)});
    const arena::CasePools pools = arena::draw_pools(rng.bits(), options.sizes);
    RETURN_IF_ERROR(arena::write_pools(pools, folder));
    fmt::print("{}: {} training, {} validation and {} held-out cases, {}\n", folder.string(),
               pools.train.size(), pools.validation.size(), pools.heldout.size(),
               arena::digest_of(pools).substr(0, 12));
  }
  return {};
}

}  // namespace

Expected<std::vector<std::string>> environments_of_suite(const std::string& suite) {
  std::vector<std::string> environments = names_in(suite);
  for (const std::string& env : environments) RETURN_IF_ERROR(check_environment(env));
  return environments;
}

void add_arena_cases(Command arena) {
  Command cases = arena.add_subcommand("cases", "Cases that several agents are given alike");
  cases.require_subcommand();
  Command command =
      cases.add_subcommand("make", "Draw cases and write them, for `--cases` of run and suite");
  auto options = std::make_shared<CasesOptions>();
  command.add_option("folder", options->folder, "Folder to write, a folder for each environment")
      .required();
  command.add_option("--env", options->env, "core16, or environments separated by commas")
      .required();
  command.add_option("--seed", options->seed,
                     "Draw from this seed (default: from the system's entropy)");
  command.add_option("--train", options->sizes.train, "Training cases")
      .range(1, 1'000'000)
      .show_default();
  command.add_option("--validation,--valid-size", options->sizes.validation, "Validation cases")
      .range(1, 100'000)
      .show_default();
  command.add_option("--heldout,--final-size", options->sizes.heldout, "Held-out cases")
      .range(1, 100'000)
      .show_default();
  command.set_work(options, make_cases);
}

}  // namespace redqueen
