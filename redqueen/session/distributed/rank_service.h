// Ranks 1 … of a training run serve rank 0. Their conversation is one message and one answer at a
// time; `role` says which of the run's learners is meant:
//
//   {"do":"begin","toml":…,"rendezvous":…,"timeout":…}  loads the learners that rank 0 loads →
//                                                       {"learners":[{"role":…,"parameters":…},…]}
//   {"do":"join"}                                       joins the group of processes; every rank at
//                                                       the same time
//   {"do":"sample","role":…,"requests":…,"parameters":…}  → {"groups":…}
//   {"do":"drop_kept","role":…}                         forgets what was kept of conversations
//   {"do":"step","role":…,"groups":…}                   trains together with the others →
//                                                       {"updates":…,"gradient_norm":…}
//   {"do":"load","role":…,"folder":…}                   loads that trainer's state
//   {"do":"save","role":…,"folder":…}                   saves its part of that trainer's state,
//                                                       where the processes share it
//
// An answer {"error":…,"usage":…} tells why it could not be done. When rank 0 closes the
// connection, the rank ends.
#pragma once

#include "redqueen/base/error.h"
#include "redqueen/session/distributed/local_learner.h"

namespace redqueen {

Status serve_rank(const RankPlace& place, const LoadLearners& load);

}  // namespace redqueen
