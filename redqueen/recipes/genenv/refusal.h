// The reasons why a generation of the environment policy became no task.
#pragma once

#include <cstdint>
#include <string>

#include "redqueen/base/enum_names.h"
#include "tl/expected.hpp"

namespace redqueen::genenv {

// In the order in which they are looked for.
enum class Refusal : std::uint8_t {
  kNoObject,     // no JSON object in the response
  kTooLong,      // the object has more bytes than a description may have
  kBadJson,      // it is no JSON, or names a key twice
  kBadField,     // a key that descriptions do not have, or a value of another type
  kUnknown,      // an environment that is not among those of the run
  kBadLevel,     // a level that is not among those of the run
  kImpossible,   // the environment makes no such problem, or refuses the parameter
  kUnsatisfied,  // no problem that was drawn keeps the constraints
  kTooLarge,     // its statement is longer than the run allows
  kUnstable,     // made again from its parameter it is another problem
  kUnsolvable,   // the environment's own answer does not solve it within the limit of turns
  kTrivial,      // an empty answer, the example, or a simple rule solves it
  kLeak,         // the statement holds the answer word for word
  kKnown,        // the pool has this problem already
};
inline constexpr auto kRefusalNames = enum_names<Refusal>({{"no_object", Refusal::kNoObject},
                                                           {"too_long", Refusal::kTooLong},
                                                           {"bad_json", Refusal::kBadJson},
                                                           {"bad_field", Refusal::kBadField},
                                                           {"unknown", Refusal::kUnknown},
                                                           {"bad_level", Refusal::kBadLevel},
                                                           {"impossible", Refusal::kImpossible},
                                                           {"unsatisfied", Refusal::kUnsatisfied},
                                                           {"too_large", Refusal::kTooLarge},
                                                           {"unstable", Refusal::kUnstable},
                                                           {"unsolvable", Refusal::kUnsolvable},
                                                           {"trivial", Refusal::kTrivial},
                                                           {"leak", Refusal::kLeak},
                                                           {"known", Refusal::kKnown}});

struct Refused {
  Refusal reason = Refusal::kNoObject;
  std::string detail = "";  // for people
};

template <typename T>
using Judged = tl::expected<T, Refused>;

inline tl::unexpected<Refused> refuse(Refusal reason, std::string detail = "") {
  return tl::make_unexpected(Refused{reason, std::move(detail)});
}

}  // namespace redqueen::genenv
