#include "redqueen/arena/agents/isolation.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "redqueen/base/file_queries.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGoOn =
    "or add --no-isolate: then the agent can read the judge's cases, the run's record says so, and "
    "the leaderboard does not compare it with isolated runs.";

// Of /etc, and where /usr is not merged.
constexpr auto kSystemPaths = std::to_array<const char*>(
    {"/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/ssl", "/etc/ca-certificates",
     "/etc/pki", "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/passwd",
     "/etc/group", "/etc/localtime", "/etc/ld.so.cache", "/etc/python3.11", "/etc/mime.types"});

fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? fs::path() : real;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

std::optional<fs::path> found_on_path(const std::string& program) {
  std::error_code error;
  if (program.find('/') != std::string::npos) return absolute_path(program);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = absolute_path(fs::path(folder) / program);
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

class View {
 public:
  explicit View(const IsolatedProgram& program) : program_(program), run_(real_path(program.run)) {}

  Expected<IsolationCommand> build() {
    words_ = {"bwrap",
              "--unshare-user",
              "--unshare-pid",
              "--unshare-ipc",
              "--unshare-uts",
              "--new-session",
              "--die-with-parent",
              "--cap-drop",
              "ALL",
              "--proc",
              "/proc",
              "--dev",
              "/dev",
              "--tmpfs",
              "/tmp",
              "--ro-bind",
              "/usr",
              "/usr"};
    for (const char* path : kSystemPaths) show("--ro-bind-try", path);
    own_home();
    show_program(program_.words.front());
    for (const std::string& name : program_.programs) show_program(name);
    for (std::size_t i = 1; i < program_.words.size(); ++i) {
      const fs::path file = program_.words[i];
      if (file.is_absolute() && is_file(file)) show_found(file);
    }
    for (const std::string& path : program_.paths) RETURN_IF_ERROR(show_named(path));
    const std::string workspace = (absolute_path(program_.run).lexically_normal() / "workspace");
    show("--bind", workspace);
    const fs::path control = fs::path(workspace).parent_path() / "control";
    if (is_folder(control)) show("--ro-bind", control.string());
    words_.insert(words_.end(), {"--setenv", "TMPDIR", "/tmp", "--chdir", workspace, "--"});
    words_.insert(words_.end(), program_.words.begin(), program_.words.end());
    return IsolationCommand{.words = std::move(words_), .files = std::move(files_)};
  }

 private:
  void show(const char* how, const std::string& path) {
    words_.insert(words_.end(), {how, path, path});
  }

  // Shows nothing of the run, and nothing twice that /usr has already.
  void show_found(const fs::path& path) {
    const fs::path real = real_path(path);
    const bool shown = lies_in(real, "/usr") || lies_in(real, "/bin");
    if (real.empty() || shown || lies_in(run_, real) || lies_in(real, run_)) return;
    show("--ro-bind-try", path.string());
  }

  void own_home() {
    const char* home = std::getenv("HOME");
    const fs::path folder = home != nullptr ? fs::path(home).lexically_normal() : fs::path();
    if (!folder.is_absolute() || folder == "/" || lies_in(folder, "/usr")) return;
    home_ = folder;
    words_.insert(words_.end(), {"--tmpfs", folder.string()});
    for (const std::string& name : program_.home_files) {
      const fs::path file = folder / name;
      if (!is_file(file)) continue;
      words_.insert(words_.end(), {"--perms", "0600", "--file", fmt::to_string(3 + files_.size()),
                                   file.string()});
      files_.push_back(file.string());
    }
  }

  // The folder in which it is found, with the libraries beside it; and what a link leads to.
  void show_program(const std::string& name) {
    const auto file = found_on_path(name);
    if (!file) return;
    show_installation(*file);
    const fs::path real = real_path(*file);
    if (!real.empty() && real != *file) show_installation(real);
  }

  void show_installation(const fs::path& file) {
    fs::path folder = file.parent_path();
    for (fs::path above = folder; above.has_relative_path(); above = above.parent_path()) {
      if (above.filename() == "node_modules") folder = above;
    }
    // PREFIX/bin: its libraries lie in PREFIX/lib. PREFIX/shims, of pyenv and its like: scripts
    // that call what is installed in PREFIX. Not where PREFIX has much else.
    const fs::path prefix = folder.parent_path();
    const bool has_more = folder.filename() == "bin" || folder.filename() == "shims";
    const bool whole = has_more && prefix.has_relative_path() && prefix != home_ &&
                       prefix != home_ / ".local" && !lies_in(run_, prefix);
    show_found(whole ? prefix : folder);
  }

  Status show_named(const std::string& path) {
    const fs::path real = real_path(path);
    if (real.empty()) return usage_error("--agent-path {}: is not there", path);
    if (lies_in(run_, real) || lies_in(real, run_)) {
      return usage_error(
          "--agent-path {}: shows the run in {}, and with it the judge's cases. Name what the "
          "agent "
          "needs below it, or put the run elsewhere.",
          path, program_.run.string());
    }
    show("--ro-bind", absolute_path(path).lexically_normal().string());
    return {};
  }

  const IsolatedProgram& program_;
  const fs::path run_;
  fs::path home_;
  std::vector<std::string> words_;
  std::vector<std::string> files_;
};

}  // namespace

Status check_isolation() {
  if (!found_on_path("bwrap")) {
    return failure(
        "the agent is to run isolated, and there is no bubblewrap (bwrap) on PATH: install it "
        "(apt-get install bubblewrap), {}",
        kGoOn);
  }
  FILE* probe = ::popen(
      "bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --proc /proc --dev /dev "
      "--ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 "
      "/lib64 true 2>&1 </dev/null",
      "re");
  if (probe == nullptr) return failure("bubblewrap cannot be tried out: {}", system_reason(errno));
  std::string said;
  std::array<char, 512> chunk{};
  for (std::size_t got = 0; (got = ::fread(chunk.data(), 1, chunk.size(), probe)) > 0;) {
    if (said.size() < 4096) said.append(chunk.data(), got);
  }
  if (::pclose(probe) == 0) return {};
  while (said.ends_with('\n')) said.pop_back();
  return failure(
      "the agent is to run isolated, and this machine does not let bubblewrap do it ({}). Allow "
      "unprivileged user namespaces (sysctl user.max_user_namespaces above 0, "
      "kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0 where "
      "they exist; in a container a seccomp profile that permits unshare and mount), {}",
      said, kGoOn);
}

Expected<IsolationCommand> isolation_command(const IsolatedProgram& program) {
  return View(program).build();
}

}  // namespace redqueen::arena
