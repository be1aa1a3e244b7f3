#include "redqueen/train/replace_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace redqueen {
namespace {

Status flush(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = file >= 0 && ::fsync(file) == 0;
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (flushed) return {};
  return failure("{}: cannot be written to the disk ({}).", path.string(), std::strerror(reason));
}

Status flush_all(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    RETURN_IF_ERROR(flush(entry.path()));
  }
  return flush(folder);
}

// An existing target is exchanged, so that there is no moment without one.
bool put_in_place(const std::filesystem::path& partial, const std::filesystem::path& target) {
  if (!std::filesystem::exists(target)) {
    return ::rename(partial.c_str(), target.c_str()) == 0;
  }
  return ::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0;
}

Status replace(const std::filesystem::path& target,
               const std::function<Status(const std::filesystem::path&)>& write) {
  const std::filesystem::path partial = target.string() + ".partial";
  std::filesystem::remove_all(partial);
  std::filesystem::create_directories(partial);
  RETURN_IF_ERROR(write(partial));
  RETURN_IF_ERROR(flush_all(partial));
  if (!put_in_place(partial, target)) {
    return failure("{}: cannot be put in place of {} ({}).", partial.string(), target.string(),
                   std::strerror(errno));
  }
  std::filesystem::remove_all(partial);  // by now the old one, if there was one
  return {};
}

}  // namespace

Status replace_folder(const std::filesystem::path& target,
                      const std::function<Status(const std::filesystem::path&)>& write) {
  try {
    return replace(target, write);
  } catch (const std::filesystem::filesystem_error& error) {
    return failure("{} cannot be saved: {}. Check that there is space and permission.",
                   target.string(), error.what());
  }
}

}  // namespace redqueen
