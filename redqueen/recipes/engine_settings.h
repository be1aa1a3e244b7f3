// Settings of the engine that draws the responses of training.
#pragma once

#include <string>

#include "redqueen/policy/token_endpoint.h"

namespace redqueen {

// A table of TrainSettings: sampling.engine, sampling.reload and sampling.ahead.
struct EngineSettings {
  std::string path;  // "openai:URL"; empty: this process
  ReloadCall reload = ReloadCall::kSglang;
  bool ahead = false;  // the next step's batch is drawn while this step's is learnt from
};

}  // namespace redqueen
