#include "redqueen/arena/judge/whole_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Status write_whole(const fs::path& path, std::string_view bytes) {
  const fs::path draft = path.string() + ".draft";
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return failure("{}: cannot be made ({})", draft.string(), system_reason(errno));
  int error = write_all(file, bytes);
  if (error == 0 && ::fsync(file) != 0) error = errno;
  ::close(file);
  std::error_code moved;
  if (error == 0) fs::rename(draft, path, moved);
  if (error != 0 || moved) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    return failure("{}: cannot be written ({}). Is the disk full?", path.string(),
                   error != 0 ? system_reason(error) : moved.message());
  }
  return sync_folder(path.parent_path());
}

Status sync_folder(const fs::path& folder) {
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure("{}: cannot be opened ({})", folder.string(), system_reason(errno));
  const int result = ::fsync(file);
  const int error = errno;
  ::close(file);
  // Some file systems cannot sync folders; they need not.
  if (result != 0 && error != EINVAL) {
    return failure("{}: cannot be written to the disk ({})", folder.string(), system_reason(error));
  }
  return {};
}

Status move_into_place(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::exists(to)) return failure("{}: is there already", to.string());
  fs::rename(from, to, error);
  if (error) return failure("{}: cannot be moved into place ({})", to.string(), error.message());
  return sync_folder(to.parent_path());
}

}  // namespace redqueen::arena
