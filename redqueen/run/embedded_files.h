// The Python program of this folder, as text; the build embeds it (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::run {

// export/wandb_recorder.py, which records a run with the package wandb.
std::string_view wandb_recorder_source();

}  // namespace redqueen::run
