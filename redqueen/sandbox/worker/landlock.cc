#include "redqueen/sandbox/worker/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "redqueen/sandbox/worker/root.h"

namespace redqueen::sandbox::worker {
namespace {

// The kernel's struct, with the members that Debian 12's header does not know yet.
struct RulesetAttr {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};

constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kReadFolder = 1U << 3;

// Rights that exist in a version of the interface; every one is then denied unless a rule grants
// it.
std::uint64_t all_file_rights(long version) {
  const int bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  return (std::uint64_t{1} << bits) - 1;
}

bool allow(int ruleset, const std::string& path, std::uint64_t rights) {
  landlock_path_beneath_attr rule{};
  rule.parent_fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return false;
  rule.allowed_access = rights;
  const bool added =
      syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  close(rule.parent_fd);
  return added;
}

bool allow_python(int ruleset, const wire::Setup& setup) {
  if (setup.runtime == Runtime::kData && has_packages() &&
      !allow(ruleset, kPackagesFolder, kReadFile | kReadFolder)) {
    return false;
  }
  for (const auto& path : shared_libraries()) {
    if (!allow(ruleset, path, kReadFile)) return false;
  }
  return allow(ruleset, python_library_folder(), kReadFile | kReadFolder) &&
         allow(ruleset, "/dev/null", kReadFile | kWriteFile);
}

}  // namespace

bool restrict_to_work_folder(const char* folder, const wire::Setup& setup) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  RulesetAttr attr;
  attr.files = all_file_rights(version);
  const int ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0));
  const bool restricted = ruleset >= 0 && allow_python(ruleset, setup) &&
                          allow(ruleset, folder, attr.files) &&
                          syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  if (ruleset >= 0) close(ruleset);
  return restricted;
}

bool restrict_with_landlock(const wire::Setup& setup, std::string& detail) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) {
    detail = std::string("the kernel has no Landlock: ") + std::strerror(errno);
    return false;
  }
  RulesetAttr attr;
  attr.files = all_file_rights(version);
  if (version >= 4) attr.network = 3;  // bind and connect of TCP
  if (version >= 6) attr.scoped = 3;   // abstract sockets, signals
  const int ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0));
  const bool restricted =
      ruleset >= 0 && allow_python(ruleset, setup) &&
      (setup.runtime == Runtime::kPlain || allow(ruleset, kWorkFolder, attr.files)) &&
      syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  detail = restricted
               ? "version " + std::to_string(version) + ": files" + (version >= 4 ? ", TCP" : "") +
                     (version >= 6 ? ", signals and abstract sockets" : "")
               : std::string("Landlock refused its rules: ") + std::strerror(errno);
  if (ruleset >= 0) close(ruleset);
  return restricted;
}

}  // namespace redqueen::sandbox::worker
