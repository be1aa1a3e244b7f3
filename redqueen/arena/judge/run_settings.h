// The settings of a run, fixed when it begins and kept in its ledger.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "redqueen/arena/judge/case_pools.h"
#include "redqueen/arena/policies/policy_process.h"
#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// The protocol in which agents speak to the judge.
enum class Protocol : std::uint8_t {
  kV0,       // HTTP; the run closes when the budget is spent (protocol_v0.h)
  kSession,  // a Unix socket; the agent ends its search by itself (session_server.h)
};
inline constexpr auto kProtocolNames =
    enum_names<Protocol>({{"v0", Protocol::kV0}, {"session", Protocol::kSession}});

struct RunSettings {
  std::string env = "CartPole-v1";  // a simulator's id
  std::string profile = "paper";    // versions of the environments (simulator.h)
  int budget = 128;                 // training episodes
  int minimum = 1;                  // episodes of a submission
  int maximum = 128;
  PoolSizes sizes;
  bool paper_cases = false;  // the public cases (case_pools.h); the record says so
  // A folder with the pools (case_pools.h), read when the run begins; empty: they are drawn. Their
  // sizes then take the place of `sizes`.
  std::filesystem::path cases_folder;
  bool given_cases = false;  // the run began with such a folder; its copy of the pools holds
  // The source of cases and of the policies' random numbers; none: the system's entropy.
  std::optional<std::uint64_t> seed;
  bool strict_v0 =
      false;  // one exception of a policy spoils its submission, as in v0.1.0's program
  // Every episode gets a new process; otherwise one policy sees the cases of a submission in order.
  bool fresh_policy_per_episode = false;
  // One instance of the policy plays all cases of a hidden pool, as in v0.1.0. Otherwise hidden
  // cases are played as the training cases of the submission were: an instance for as many episodes
  // as the submission had, so that no policy tells them apart by counting.
  bool one_hidden_instance = false;
  Protocol protocol = Protocol::kV0;
  // The agent sees its workspace and nothing of the judge's. Whoever starts the agent sees to it;
  // the record and the leaderboard tell such runs from open ones.
  bool isolated = false;
  // Under the session protocol, an agent that has budget left cannot end its search.
  bool require_budget = false;
  PolicyLimits limits;

  // The folder of the agent's program in the workspace, as the protocol names it.
  [[nodiscard]] const char* program_folder() const {
    return protocol == Protocol::kSession ? "program" : "system";
  }
};

// Fails with the name of a setting that cannot be.
Status check(const RunSettings& settings);

Json to_json(const RunSettings& settings);
Expected<RunSettings> run_settings_from_json(const Json& json);

}  // namespace redqueen::arena
