#include "redqueen/arena/judge/judge_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace redqueen::arena {
namespace {

// Below the ones that sandboxed programs get, and above those that users have.
constexpr uid_t kNobodysUser = 1'879'048'191;

}  // namespace

Status shut_judge_folder(const std::filesystem::path& folder) {
  if (::chmod(folder.c_str(), 0700) != 0 && !is_shut_to_this_user(folder)) {
    return failure("{}: its permissions cannot be set ({})", folder.string(), system_reason(errno));
  }
  if (::geteuid() != 0 || is_shut_to_this_user(folder)) return {};
  // A container's root may have no such user, or not the right to enter what is another's.
  if (::chown(folder.c_str(), kNobodysUser, kNobodysUser) != 0) return {};
  if (::faccessat(AT_FDCWD, folder.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0) return {};
  if (::chown(folder.c_str(), 0, 0) == 0) return {};
  return failure("{}: belongs to another user now, and cannot be taken back ({})", folder.string(),
                 system_reason(errno));
}

bool is_shut_to_this_user(const std::filesystem::path& folder) {
  struct stat found {};
  return ::stat(folder.c_str(), &found) == 0 && found.st_uid != ::geteuid() &&
         (found.st_mode & 0077) == 0;
}

}  // namespace redqueen::arena
