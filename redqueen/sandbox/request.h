// A batch as JSON: what `redqueen sandbox exec` reads from a line.
//   source     the program's text; all else may be left out
//   call       an expression to evaluate in the program; or
//   calls      a list of such
//   stdin      what the program reads
//   profile    "pure" (the default) or "code", or an object with `allow` or `ban`, a list of
//              modules, and `ban_attributes`, a list of dotted names
//   limits     an object with any of the limits of limits.h, by name
//   hash_seed  below 2^32
//   files      {"name": "text", …}: in the folder of a program of the profiles program and data
//   fetch      names of files that come back with the outcome
//   id         anything; not read here
#pragma once

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/sandbox/job.h"

namespace redqueen::sandbox {

// A usage error names the key, what stands there and what may. `defaults`: for limits that the
// request leaves out.
Expected<Batch> read_request(const Json& json, const Limits& defaults);

}  // namespace redqueen::sandbox
