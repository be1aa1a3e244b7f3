// Descriptions of environments that run in Python and are part of EvoPolicyGym's suite, in place of
// those that the packages have: what is seen, field by field and in which units, what an action
// does, what is rewarded, and when an episode ends.
#pragma once

#include <string>
#include <string_view>

namespace redqueen::arena {

// Returns an empty text for other environments.
std::string hosted_text(std::string_view id);

}  // namespace redqueen::arena
