// Knows how long the scores of a request take, from those before it.
#pragma once

#include <chrono>

#include "redqueen/serve/score_body.h"
#include "redqueen/serve/service.h"

namespace redqueen::serve {

// True if all scores of the body together are known to take less than Service::kQuickSeconds.
bool is_quick(const Service& service, const ScoreBody& body);

// Makes and scores a problem of each kind of which nothing is known yet, so that the next request
// may be answered without a worker.
void learn_costs(const Service& service, const ScoreBody& body);

// Notes what the scores took on one thread, where all rows are of one kind.
void note_costs(const Service& service, const ScoreBody& body, std::chrono::nanoseconds duration);

}  // namespace redqueen::serve
