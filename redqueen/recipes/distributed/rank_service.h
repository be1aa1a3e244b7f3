// What ranks 1 … of a training run do: they serve rank 0. The conversation, always one message and one answer:
//
//   {"do":"begin","toml":…,"meeting":…}      loads policy and trainer, as rank 0 does
//   {"do":"meet"}                            joins the group of processes; every rank at the same time
//   {"do":"sample","requests":…,"parameters":…}  → {"groups":…}
//   {"do":"step","groups":…}                 trains together with the others → {"updates":…,"gradient_norm":…}
//   {"do":"load","folder":…}                 loads the trainer's state
//
// An answer {"error":…,"usage":…} tells why it could not be done. When rank 0 closes the connection, the rank ends.
#pragma once

#include "redqueen/core/error.h"
#include "redqueen/recipes/distributed/rank_processes.h"

namespace redqueen {

Status serve_rank(const RankPlace& place);

}  // namespace redqueen
