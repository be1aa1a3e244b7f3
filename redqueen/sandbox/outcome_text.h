// Makes outcomes fit to be shown and stored, whatever a child sent.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/base/valid_utf8.h"
#include "redqueen/sandbox/job.h"
#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox {

using redqueen::valid_utf8;  // for what programs print, which may be any bytes

// True if it is one JSON value nested no deeper than 100 levels.
bool is_sound_json(std::string_view text);

// Translates a worker's result into the caller's Outcome. A value whose texts are longer than an
// honest child of this output limit writes them is kOutputLimit.
Outcome make_outcome(const wire::Result& result, std::uint64_t output_bytes);

}  // namespace redqueen::sandbox
