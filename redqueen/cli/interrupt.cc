#include "redqueen/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace redqueen {
namespace {

std::atomic<bool> end_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int signal) {
  end_requested = true;
  std::signal(signal, SIG_DFL);
  constexpr std::string_view kText =
      "\nredqueen: ending after this step; once more to end at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
}

}  // namespace

const std::atomic<bool>& interrupt_requested() { return end_requested; }

void install_interrupt() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

}  // namespace redqueen
