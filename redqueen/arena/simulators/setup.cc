#include "redqueen/arena/simulators/setup.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "redqueen/arena/environments/packages.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = "setup.log";
constexpr const char* kUnfinished = "setup.unfinished";  // there while something is being installed

// Runs a program with its words in `log`. Gives its exit code; −1 if a signal ended it.
Expected<int> run_logged(std::vector<std::string> words, const fs::path& log) {
  std::ofstream(log, std::ios::app) << fmt::format("$ {}\n", fmt::join(words, " "));
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_APPEND | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, words.front().c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return failure("{} cannot be started ({})", words.front(), system_reason(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      return failure("{}: its end is unknown ({})", words.front(), system_reason(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The folder is this process's as long as it lives.
class Lock {
 public:
  static Expected<Lock> take(const fs::path& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
      return failure("{}: cannot be opened ({})", folder.string(), system_reason(errno));
    Lock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
    return failure("{}: another setup is at work there; wait for its end", folder.string());
  }
  Lock(Lock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Lock& operator=(Lock&&) = delete;
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  explicit Lock(int file) : file_(file) {}
  int file_;
};

// Nothing but an empty folder, or what an earlier setup made, is written to.
Status check_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (!fs::is_directory(folder, error)) {
    return usage_error("{}: is no folder; name another with --to", folder.string());
  }
  if (fs::is_empty(folder, error) || fs::exists(folder / kLog, error)) return {};
  return usage_error("{}: is not empty, and no earlier setup made it; name another with --to",
                     folder.string());
}

// A virtual environment with pip.
Status make_venv(const SetupPlan& plan, const fs::path& folder) {
  std::error_code error;
  const bool unfinished = fs::exists(folder / kUnfinished, error);
  if (!unfinished && !packages_of_venv(folder).empty()) return {};
  std::ofstream(folder / kUnfinished) << "an installation that has not ended\n";
  std::vector<std::string> words = {plan.python, "-m", "venv", folder.string()};
  // The log stays: it tells this folder from anybody else's.
  for (const char* part : {"bin", "lib", "lib64", "include", "share"}) {
    fs::remove_all(folder / part, error);
  }
  ASSIGN_OR_RETURN(const int code, run_logged(std::move(words), folder / kLog));
  if (code == 0) return {};
  return failure(
      "{} -m venv {} ended with {} (see {}); on Debian and Ubuntu it needs apt-get install "
      "python3-venv",
      plan.python, folder.string(), code, (folder / kLog).string());
}

bool same(const Requirement& requirement, const Expected<std::string>& version) {
  return version && *version == requirement.version;
}

SetupState state_of(std::string environment, const std::vector<Requirement>& requirements,
                    const fs::path& packages) {
  SetupState state{.environment = std::move(environment)};
  for (const Requirement& each : requirements) {
    const bool there = same(each, installed_version(packages, each.distribution));
    (there ? state.there : state.missing).push_back(each);
  }
  return state;
}

// Why pip did not install.
struct Complaint {
  std::string text;
  bool unreachable = false;  // no index answers: nothing else can be had either
};

// From its last line that says so, with what helps where no index answers.
Complaint complaint_of(const fs::path& log, std::size_t begin) {
  const auto text = read_text_file(log);
  if (!text) return {.text = "pip failed"};
  const std::string_view words = std::string_view(*text).substr(std::min(begin, text->size()));
  for (const char* sign :
       {"NewConnectionError", "Name or service not known", "ConnectTimeout", "ProxyError",
        "Temporary failure in name resolution", "Network is unreachable"}) {
    if (words.find(sign) == std::string_view::npos) continue;
    return {.text =
                "the index of packages cannot be reached: --wheels names a folder of wheels, "
                "--index another index",
            .unreachable = true};
  }
  std::string_view line = "pip failed";
  for (std::size_t at = words.find("ERROR: "); at != std::string_view::npos;
       at = words.find("ERROR: ", at + 1)) {
    line = words.substr(at + 7, words.find('\n', at) - at - 7);
  }
  return {.text = fmt::format("{} (see {})", line, log.string())};
}

// No complaint: everything was installed.
Expected<std::optional<Complaint>> install(const SetupPlan& plan, const fs::path& folder,
                                           const std::vector<Requirement>& wanted) {
  const fs::path log = folder / kLog;
  // Every package is named with its version, so that pip has nothing to choose; and wheels only,
  // for a source would run its own program here.
  std::vector<std::string> words = {(folder / "bin" / "python").string(),
                                    "-m",
                                    "pip",
                                    "install",
                                    "--no-deps",
                                    "--no-input",
                                    "--only-binary",
                                    ":all:",
                                    "--disable-pip-version-check",
                                    "--progress-bar",
                                    "off",
                                    "--retries",
                                    "1"};
  if (!plan.wheels.empty()) {
    // And nothing else: what the user's configuration of pip names is left aside.
    words.insert(words.end(),
                 {"--isolated", "--no-index", "--find-links", absolute_path(plan.wheels).string()});
  } else if (!plan.index.empty()) {
    words.insert(words.end(), {"--index-url", plan.index});
  }
  for (const Requirement& each : wanted) {
    words.push_back(fmt::format("{}=={}", each.distribution, each.version));
  }
  const std::uint64_t before = size_of_file(log).value_or(0);
  ASSIGN_OR_RETURN(const int code, run_logged(std::move(words), log));
  if (code == 0) return std::nullopt;
  return complaint_of(log, before);
}

}  // namespace

Expected<fs::path> folder_of(const SetupPlan& plan) {
  if (!plan.folder.empty()) return absolute_path(plan.folder).lexically_normal();
  fs::path folder = default_setup_folder(plan.profile);
  if (!folder.empty()) return folder;
  return usage_error("there is no HOME to install into: name a folder with --to");
}

Expected<std::vector<SetupState>> look_at_setup(const SetupPlan& plan) {
  ASSIGN_OR_RETURN(const fs::path folder, folder_of(plan));
  if (is_there(folder) && !is_folder(folder)) {
    return usage_error("{}: is no folder; name another with --to", folder.string());
  }
  std::vector<std::string> environments = plan.environments;
  if (environments.empty()) {
    for (const std::string_view id : ids_with_requirements()) environments.emplace_back(id);
  }
  const fs::path packages = packages_of_venv(folder);
  std::vector<SetupState> states;
  for (const std::string& environment : environments) {
    ASSIGN_OR_RETURN(const auto requirements, requirements_of(environment, plan.profile));
    states.push_back(state_of(environment, requirements, packages));
  }
  return states;
}

Expected<std::vector<SetupState>> set_up(const SetupPlan& plan) {
  ASSIGN_OR_RETURN(std::vector<SetupState> states, look_at_setup(plan));
  ASSIGN_OR_RETURN(const fs::path folder, folder_of(plan));
  std::error_code error;
  const bool complete = std::ranges::all_of(states, &SetupState::complete);
  if (complete && !fs::exists(folder / kUnfinished, error)) return states;
  RETURN_IF_ERROR(check_folder(folder));
  if (!plan.wheels.empty() && !fs::is_directory(plan.wheels, error)) {
    return usage_error("{}: there is no such folder of wheels", plan.wheels.string());
  }
  RETURN_IF_ERROR(make_folders(folder));
  ASSIGN_OR_RETURN(const Lock lock, Lock::take(folder));
  RETURN_IF_ERROR(make_venv(plan, folder));
  std::ofstream(folder / kUnfinished) << "an installation that has not ended\n";
  // One environment after another, so that one that cannot be had leaves the others whole.
  std::optional<Complaint> complaint;
  for (SetupState& state : states) {
    ASSIGN_OR_RETURN(const auto requirements, requirements_of(state.environment, plan.profile));
    state = state_of(state.environment, requirements, packages_of_venv(folder));
    if (state.complete()) continue;
    if (!complaint || !complaint->unreachable) {
      ASSIGN_OR_RETURN(complaint, install(plan, folder, state.missing));
      state = state_of(state.environment, requirements, packages_of_venv(folder));
    }
    if (complaint) state.reason = complaint->text;
  }
  fs::remove(folder / kUnfinished, error);
  return states;
}

Expected<SimulatorCheck> play_after_setup(const SetupPlan& plan, const std::string& environment) {
  ASSIGN_OR_RETURN(const fs::path folder, folder_of(plan));
  ASSIGN_OR_RETURN(
      const auto simulator,
      make_simulator(environment, {.profile = plan.profile, .packages = packages_of_venv(folder)}));
  return check_simulator(*simulator, 1, 0);
}

}  // namespace redqueen::arena
