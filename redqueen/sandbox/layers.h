// Finds out which layers of isolation this machine gives.
#pragma once

#include <string>
#include <vector>

#include "redqueen/sandbox/config.h"

namespace redqueen::sandbox {

struct LayerState {
  enum class State : unsigned char { kOn, kOff, kUnavailable };
  std::string name;  // "user namespace", "system-call filter", …
  State state = State::kOff;
  std::string why;     // in a sentence, for the user
  std::string remedy;  // what to do about it; empty when on
};
std::string_view name_of(LayerState::State state);  // "on", "off", "unavailable"

// Starts one worker and asks what it got. The first is the layer "worker": whether it
// started at all.
std::vector<LayerState> inspect_layers(const SandboxConfig& config = {});

// Layers that `strict` wants and that are not there, one a line, with the reason; empty: none.
std::string missing_layers(const std::vector<LayerState>& layers);

// Fails unless `layers` are enough for `require`; the failure names what is missing and the
// remedies.
Status check_layers(const std::vector<LayerState>& layers, Require require);

}  // namespace redqueen::sandbox
