// Requests of the world toolcall in words.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/gym/common/worlds/dates.h"
#include "redqueen/gym/worlds/toolcall/catalogue.h"

namespace redqueen::toolcall {

// The style of a request. Plainly, values stand as the call wants them; indirectly, many of them as
// people say them: "four", "7:30 pm", "1 hour and 30 minutes", "the day 3 days from today".
struct Speech {
  worlds::Day today;
  bool indirect = false;
  Rng rng;  // chooses among ways to say the same
};

// "book a table at the Copper Kettle on 2027-03-14 …", without the argument `omitted`.
std::string call_in_words(const Tool& tool, const Json& arguments, std::string_view omitted,
                          Speech& speech);

// Words one argument of a request: "at the Copper Kettle".
std::string argument_in_words(const Parameter& parameter, const Json& value, Speech& speech);

}  // namespace redqueen::toolcall
