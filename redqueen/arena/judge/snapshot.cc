#include "redqueen/arena/judge/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <system_error>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/sha256.h"
#include "redqueen/sandbox/outcome_text.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kLeftOut = {
    "__pycache__", ".git", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", "_meta.json"};

bool is_left_out(std::string_view name) {
  return std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end() ||
         name.ends_with(".pyc");
}

const char* file_kind(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "no plain file";
}

class SystemReader {
 public:
  explicit SystemReader(const SnapshotLimits& limits) : limits_(limits) {}

  // Reads the folder that is open as `folder`, which is called `path` below the top ("" itself).
  Status read_folder(Descriptor folder, const std::string& path, int depth) {
    if (depth > limits_.depth) {
      return failure("system/{}: lies more than {} folders deep", path, limits_.depth);
    }
    const int fd = folder.release();
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(fd), &closedir);
    if (!entries) {
      ::close(fd);
      return failure("system/{}: cannot be listed ({})", path, system_reason(errno));
    }
    std::vector<std::string> names;
    while (const dirent* entry = readdir(entries.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && !is_left_out(name)) names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      RETURN_IF_ERROR(
          read_entry(fd, name, path.empty() ? name : fmt::format("{}/{}", path, name), depth));
    }
    return {};
  }

  std::vector<SystemFile> files;

 private:
  Status read_entry(int folder, const std::string& name, const std::string& path, int depth) {
    if (sandbox::valid_utf8(name) != name) {
      return failure("system/{}: its name is no UTF-8", sandbox::valid_utf8(path));
    }
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return failure("system/{}: cannot be read ({})", path, system_reason(errno));
    }
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
      return failure("system/{}: is {}; a snapshot takes plain files and folders only", path,
                     file_kind(info.st_mode));
    }
    // Neither waits (a FIFO could have taken the file's place) nor follows a link.
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    Descriptor file(::openat(folder, name.c_str(), flags));
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
      return failure("system/{}: cannot be read ({})", path, system_reason(errno));
    }
    if (S_ISDIR(info.st_mode)) return read_folder(Descriptor(file.release()), path, depth + 1);
    if (!S_ISREG(info.st_mode)) {
      return failure("system/{}: is {}; a snapshot takes plain files and folders only", path,
                     file_kind(info.st_mode));
    }
    return read_file(file.get(), path);
  }

  Status read_file(int file, const std::string& path) {
    if (files.size() == limits_.files) {
      return failure("system/: holds more than {} files", limits_.files);
    }
    SystemFile read{.path = path, .bytes = {}};
    std::vector<char> chunk(1U << 16);
    for (;;) {
      const ssize_t got = ::read(file, chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failure("system/{}: cannot be read ({})", path, system_reason(errno));
      if (got == 0) break;
      bytes_ += static_cast<std::uint64_t>(got);
      if (bytes_ > limits_.bytes) {
        return failure("system/: holds more than {} MiB", limits_.bytes >> 20);
      }
      read.bytes.append(chunk.data(), static_cast<std::size_t>(got));
    }
    files.push_back(std::move(read));
    return {};
  }

  const SnapshotLimits limits_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

Expected<std::vector<SystemFile>> read_system(const fs::path& folder,
                                              const SnapshotLimits& limits) {
  Descriptor top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (top.get() < 0)
    return failure("{}: cannot be read ({})", folder.string(), system_reason(errno));
  return read_system(std::move(top), limits);
}

Expected<std::vector<SystemFile>> read_system(Descriptor folder, const SnapshotLimits& limits) {
  SystemReader reader(limits);
  RETURN_IF_ERROR(reader.read_folder(std::move(folder), "", 0));
  std::sort(reader.files.begin(), reader.files.end(),
            [](const SystemFile& a, const SystemFile& b) { return a.path < b.path; });
  return std::move(reader.files);
}

Status write_checkpoint(const std::vector<SystemFile>& files, const std::string& meta,
                        const fs::path& folder) {
  if (is_there(folder)) return failure("{}: is there already", folder.string());
  return replace_folder(folder, [&](const fs::path& draft) -> Status {
    for (const SystemFile& file : files) {
      const fs::path path = draft / file.path;
      RETURN_IF_ERROR(make_folders(path.parent_path()));
      std::ofstream stream(path, std::ios::binary);
      stream << file.bytes;
      stream.close();
      if (!stream) return failure("{}: cannot be written. Is the disk full?", path.string());
      std::error_code error;
      fs::permissions(path, fs::perms::owner_read | fs::perms::group_read, error);
      if (error) return path_error(path, "cannot be made read-only", error);
    }
    return replace_file(draft / "_meta.json", meta, Survives::kProcessDeath);
  });
}

std::string digest(const std::vector<SystemFile>& files) {
  std::string text;
  for (const SystemFile& file : files) {
    text += fmt::format("{}\n{}\n", file.path, file.bytes.size());
    text += file.bytes;
  }
  return sha256(text);
}

}  // namespace redqueen::arena
