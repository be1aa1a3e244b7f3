// The sandbox of a process, started when it is first needed: what recipes and code environments share.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "redqueen/core/error.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen {

// May be called from any thread.
class SandboxService {
 public:
  explicit SandboxService(SandboxConfig config = {}) : config_(std::move(config)) {}

  // How the workers will be started. Those that run already stay as they are.
  void configure(SandboxConfig config) {
    const std::scoped_lock lock(mutex_);
    config_ = std::move(config);
  }

  // Starts the workers at the first call; the sandbox lives as long as the service. A start that failed is tried again
  // at the next call.
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
  std::mutex mutex_;
  SandboxConfig config_;
  std::optional<Sandbox> sandbox_;
};

// The one service of this process, so that environments which were registered before any settings were read, recipes and
// evaluations run on the same workers.
inline std::shared_ptr<SandboxService> process_sandbox() {
  static const auto service = std::make_shared<SandboxService>();
  return service;
}

// The same, configured.
inline std::shared_ptr<SandboxService> process_sandbox(SandboxConfig config) {
  auto service = process_sandbox();
  service->configure(std::move(config));
  return service;
}

}  // namespace redqueen
