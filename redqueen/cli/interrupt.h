// Ctrl-C: the first asks the work to end in order, the second ends it.
#pragma once

#include <atomic>

namespace redqueen {

// Set by SIGINT and SIGTERM once install_interrupt() was called; from then on the next signal
// kills.
const std::atomic<bool>& interrupt_requested();
void install_interrupt();

}  // namespace redqueen
