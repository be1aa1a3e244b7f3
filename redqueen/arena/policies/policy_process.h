// A policy in its own process, behind the layers of the sandbox. It shares nothing with the
// environment, the cases or the judge but a piece of memory for frames of bounded size
// (shared_frames.h): observations go in, actions come out, and nothing else is mounted but its own
// files, Python and numpy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/arena/judge/snapshot.h"
#include "redqueen/arena/policies/policy_seats.h"
#include "redqueen/arena/policies/shared_frames.h"
#include "redqueen/arena/simulators/value.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/sandbox/channel_sandbox.h"

namespace redqueen::arena {

struct PolicyLimits {
  double load_seconds = 60;      // importing policy.py and making the policy
  double step_seconds = 10;      // one reset() or act()
  double episode_seconds = 600;  // all of one episode
  std::uint64_t memory_bytes = 2ULL << 30;
  std::uint64_t output_bytes = 4ULL
                               << 20;  // of an episode's stdout and of its stderr, and of any file
};

// The context that a policy receives before its first episode; nothing of it names a case.
struct PolicyContext {
  Json obs_space;
  Json action_space;
  Json env_meta;
  std::uint64_t seed = 0;  // of its global random and numpy.random while it loads
};

// The reason why a policy did not answer.
struct PolicyFault {
  enum class Kind : std::uint8_t {
    kRaised,   // reset() or act() raised: the episode is over, the policy lives
    kTimeout,  // a limit of time: the process is gone, as in all that follow
    kMemory,
    kEnded,  // died, fell silent, flooded, or answered what is no answer
  };
  Kind kind = Kind::kRaised;
  std::string where;  // "reset_error" or "act_error" where it raised
  std::string what;   // a sentence, or the traceback with the lines of the policy's own files
};

// The outcome of loading a policy; its names are those of the protocol's statuses.
enum class LoadStatus : std::uint8_t {
  kOk,
  kMissingPolicy,
  kImportError,
  kInitError,
  kInitTimeout,
  kOutOfMemory,
};
inline constexpr auto kLoadStatusNames =
    enum_names<LoadStatus>({{"ok", LoadStatus::kOk},
                            {"missing_policy", LoadStatus::kMissingPolicy},
                            {"import_error", LoadStatus::kImportError},
                            {"init_error", LoadStatus::kInitError},
                            {"init_timeout", LoadStatus::kInitTimeout},
                            {"oom", LoadStatus::kOutOfMemory}});

// The text that a policy printed.
struct PolicyOutput {
  std::string out;
  std::string err;
};

// The text that hosts a policy: to be listed in SandboxConfig::preludes, so that no child has to
// compile it.
std::string policy_host_text();

// One policy. Not thread-safe; its seat must live longer.
class PolicyProcess {
 public:
  // Starts a process and loads the policy in `files`. Never fails: load_status() says how it went.
  // `numpy`: the sandbox has numpy to offer (sandbox/config.h, data_packages).
  PolicyProcess(const PolicySeats::Taken& seat, const std::vector<SystemFile>& files,
                const PolicyContext& context, const PolicyLimits& limits, bool numpy);

  [[nodiscard]] LoadStatus load_status() const { return load_status_; }
  [[nodiscard]] const std::string& load_error() const { return load_error_; }
  [[nodiscard]] const PolicyOutput& load_output() const { return output_; }
  [[nodiscard]] const std::string& entry() const { return entry_; }  // "Policy" or "make_policy"
  [[nodiscard]] bool alive() const { return session_.alive() && !fault_; }

  // Each gives the reason if the policy does not answer. After a fault in an episode only
  // end_episode() may follow. `seed`: of the global generators during the episode.
  std::optional<PolicyFault> begin_episode(int index, std::uint64_t seed);
  std::optional<PolicyFault> act(const Value& observation, Value& action);
  // Ends the episode and returns the text printed during it. A fault: the process ended.
  std::optional<PolicyFault> end_episode(PolicyOutput& output);

 private:
  // Over the socket, while it loads.
  bool send_part(std::string_view frame);
  bool send_files(const std::vector<SystemFile>& files);
  std::optional<std::string> receive_loaded();
  // The answer of an episode that comes next; nullopt: the fault is in fault_, or finish() knows
  // it.
  std::optional<std::string_view> receive();
  void load(const std::vector<SystemFile>& files, const PolicyContext& context);
  std::optional<PolicyFault> raised(std::string_view complaint);
  void fail(PolicyFault::Kind kind, std::string what);
  PolicyFault ended();

  sandbox::ChannelSession session_;
  SharedFrames frames_;
  PolicyLimits limits_;
  LoadStatus load_status_ = LoadStatus::kImportError;
  std::string load_error_;
  std::string entry_;
  PolicyOutput output_;
  std::optional<PolicyFault> fault_;
  bool in_episode_ = false;
  bool has_raised_ = false;  // then the process waits for no end of the episode any more
  std::string frame_;        // to be sent
};

}  // namespace redqueen::arena
