// A cgroup v2 leaf around one worker and its children, where the machine delegates one: a bound on
// their memory and number together that no process of theirs can move.
#pragma once

#include <sys/types.h>

#include <string>

#include "redqueen/sandbox/config.h"

namespace redqueen::sandbox {

class CgroupLeaf {
 public:
  CgroupLeaf() = default;
  CgroupLeaf(CgroupLeaf&& other) noexcept;
  CgroupLeaf& operator=(CgroupLeaf&& other) noexcept;
  CgroupLeaf(const CgroupLeaf&) = delete;
  CgroupLeaf& operator=(const CgroupLeaf&) = delete;
  ~CgroupLeaf();  // removes the folder; its processes must be dead

  // Makes a leaf below config.cgroup, or beside the cgroup that we are in, limits it and puts `pid`
  // there. Never moves another process. On failure the leaf is empty and note() says why.
  static CgroupLeaf make(const SandboxConfig& config, pid_t pid);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  std::string path_, note_;
};

}  // namespace redqueen::sandbox
