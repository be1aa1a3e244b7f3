// The files of a policy: read from an agent's folder, which is hostile, and kept as a checkpoint,
// which is not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/arena/judge/workspace.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

struct SystemFile {
  std::string path;  // relative, with '/' between folders
  std::string bytes;
  bool operator==(const SystemFile&) const = default;
};

struct SnapshotLimits {
  std::size_t files = 2000;
  std::uint64_t bytes = 24ULL << 20;  // of all files together
  int depth = 16;
};

// The plain files below `folder`, sorted by path; caches (__pycache__, .git, *.pyc, …) and the
// judge's own _meta.json are left out. Fails, naming the entry, on symbolic links, devices, FIFOs,
// sockets, names that are no UTF-8, and what exceeds the limits. Opens every step of the way
// without following links, so that nobody can swap one in meanwhile.
Expected<std::vector<SystemFile>> read_system(const std::filesystem::path& folder,
                                              const SnapshotLimits& limits = {});

// Does the same with a folder that is open.
Expected<std::vector<SystemFile>> read_system(Descriptor folder, const SnapshotLimits& limits = {});

// Writes the files below `folder`, which must not exist; it appears in one rename, read-only.
Status write_checkpoint(const std::vector<SystemFile>& files, const std::string& meta,
                        const std::filesystem::path& folder);

// SHA-256 over paths, lengths and bytes.
std::string digest(const std::vector<SystemFile>& files);

}  // namespace redqueen::arena
