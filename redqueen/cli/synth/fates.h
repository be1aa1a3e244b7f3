// Counts the fates of a run's items.
#pragma once

#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

// "12 NOUN: 7 kept 5 refused": the items of a kind over all steps, the most frequent fate first.
Status print_fates(run::EventStore& store, std::string_view kind, std::string_view noun);

}  // namespace redqueen
