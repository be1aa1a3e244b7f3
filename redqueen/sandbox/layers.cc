#include "redqueen/sandbox/layers.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "redqueen/sandbox/worker_process.h"

namespace redqueen::sandbox {
namespace {

using State = LayerState::State;

constexpr int kStartMs = 30'000;

constexpr std::array<std::string_view, 4> kStandard = {"system-call filter", "unprivileged uid",
                                                       "no capabilities", "resource limits"};
constexpr std::array<std::string_view, 8> kStrict = {
    "user namespace", "pid namespace", "network namespace", "mount namespace",
    "ipc namespace",  "uts namespace", "private root",      "landlock"};

void add_missing(const std::vector<LayerState>& layers, std::string_view name, std::string& text) {
  for (const auto& layer : layers) {
    if (layer.name != name || layer.state == State::kOn) continue;
    text += fmt::format("\n  {}: {}. {}", layer.name, layer.why, layer.remedy);
  }
}

// Waits for the first words of a worker.
Expected<wire::Ready> await_ready(WorkerProcess& worker) {
  for (;;) {
    wire::Frame frame;
    if (worker.next(frame) == wire::Split::kFrame && frame.kind == wire::Kind::kReady) {
      if (auto ready = wire::decode_ready(frame.payload)) return *ready;
    }
    pollfd event{worker.socket(), POLLIN, 0};
    if (poll(&event, 1, kStartMs) <= 0 || !worker.receive()) {
      return failure("the sandbox's worker started and died, or said nothing for {} s.",
                     kStartMs / 1000);
    }
  }
}

Expected<wire::Ready> ask_worker(const SandboxConfig& config) {
  const auto program = find_worker_program(config);
  if (!program) return tl::make_unexpected(program.error());
  auto worker = WorkerProcess::start(*program, config, 0, Runtime::kPlain);
  if (!worker) return tl::make_unexpected(worker.error());
  return await_ready(*worker);
}

}  // namespace

std::vector<LayerState> inspect_layers(const SandboxConfig& config) {
  auto ready = ask_worker(config);
  const std::string error = ready ? ready->error : ready.error().message;
  std::vector<LayerState> layers = ready ? std::move(ready->layers) : std::vector<LayerState>{};
  if (error.empty()) {
    layers.insert(layers.begin(), {"worker", State::kOn, "starts and answers", ""});
  } else {
    layers.insert(layers.begin(), {"worker", State::kUnavailable, error,
                                   "Without a worker nothing that a policy wrote can run."});
  }
  return layers;
}

std::string_view name_of(LayerState::State state) {
  switch (state) {
    case State::kOn:
      return "on";
    case State::kOff:
      return "off";
    case State::kUnavailable:
      break;
  }
  return "unavailable";
}

std::string missing_layers(const std::vector<LayerState>& layers) {
  std::string text;
  for (const auto& layer : layers) {
    const bool wanted =
        std::find(kStandard.begin(), kStandard.end(), layer.name) != kStandard.end() ||
        std::find(kStrict.begin(), kStrict.end(), layer.name) != kStrict.end();
    if (!wanted || layer.state == State::kOn) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", layer.name, layer.why);
  }
  return text;
}

Status check_layers(const std::vector<LayerState>& layers, Require require) {
  std::string missing;
  for (const auto name : kStandard) add_missing(layers, name, missing);
  if (require == Require::kStrict) {
    for (const auto name : kStrict) add_missing(layers, name, missing);
  }
  if (missing.empty()) return {};
  return failure(
      "the sandbox does not start: sandbox.require is {}, and this machine lacks:{}{}",
      require == Require::kStrict ? "strict" : "standard", missing,
      require == Require::kStrict
          ? "\nTo do without, knowing what that leaves open (docs/sandbox.md), add `--set "
            "sandbox.require=standard` to the command, or write it into its "
            "configuration."
          : "");
}

}  // namespace redqueen::sandbox
