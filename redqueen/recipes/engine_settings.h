// Settings of the engine that draws the responses of training.
#pragma once

#include <string>

#include "redqueen/policy/token_endpoint.h"

namespace redqueen {

// A table of TrainSettings: sampling.engine and sampling.reload.
struct EngineSettings {
  std::string path;  // "openai:URL"; empty: this process
  ReloadCall reload = ReloadCall::kSglang;
};

}  // namespace redqueen
