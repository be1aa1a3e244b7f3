// A sandbox that starts when it is first needed, shared by environments, recipes and evaluations.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::sandbox {

// May be called from any thread.
class SandboxService {
 public:
  explicit SandboxService(SandboxConfig config = {}) : config_(std::move(config)) {}

  // Starts the workers at the first call; the sandbox lives as long as the service. A start that
  // failed is tried again at the next call.
  Expected<Sandbox*> get() {
    const std::scoped_lock lock(mutex_);
    if (!sandbox_) {
      auto started = Sandbox::start(config_);
      if (!started) return tl::make_unexpected(started.error());
      sandbox_.emplace(std::move(*started));
    }
    return &*sandbox_;
  }

 private:
  const SandboxConfig config_;
  std::mutex mutex_;
  std::optional<Sandbox> sandbox_;
};

}  // namespace redqueen::sandbox
