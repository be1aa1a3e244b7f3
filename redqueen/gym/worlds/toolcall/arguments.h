// Arguments of the world toolcall: drawn, checked, read as assistants give them, and compared.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/episode.h"
#include "redqueen/gym/common/worlds/dates.h"
#include "redqueen/gym/worlds/toolcall/catalogue.h"

namespace redqueen::toolcall {

inline constexpr std::size_t kMostItems = 3;  // of a list

// The way a signature writes names.
enum class Naming {
  kSnake,   // book_table(booking_code)
  kCamel,   // bookTable(bookingCode)
  kDomain,  // restaurant_book_table(booking_code)
};

// A tool as one problem offers it: some optional arguments may be left out of it.
struct Signature {
  const Tool* tool = nullptr;
  Naming naming = Naming::kSnake;
  std::vector<std::string> without;  // keys of the catalogue
};

std::string offered_name(const Tool& tool, Naming naming);
ToolSpec tool_spec(const Signature& signature);

// A value that a request may ask for. Days lie around `today`.
Json draw_value(const Parameter& parameter, worlds::Day today, Rng& rng);

// Values for all required arguments, and for each optional one with the given probability. No two
// arguments have the same text.
Json draw_arguments(std::span<const Parameter> members, worlds::Day today, double optional,
                    Rng& rng);

// Fails unless draw_arguments() could have made them, with the keys of the catalogue. Errors name
// the key.
Status check_arguments(std::span<const Parameter> members, const Json& arguments,
                       worlds::Day today);

// Arguments as `signature` has them, from those with the keys of the catalogue.
Json offered_arguments(const Signature& signature, const Json& arguments);

// Returns the normal form that calls of one meaning share: the arguments that an assistant gave,
// with the keys of the catalogue in its order, defaults filled in, and values in their plain form.
// Equal numbers are equal however they are written, texts regardless of letter case and of white
// space around and between words; lists count without their order; null for an optional argument
// leaves it out. An argument that is missing, unknown or of another type is an error, a sentence
// for the assistant.
Expected<Json> plain_arguments(const Signature& signature, const Json& given);

}  // namespace redqueen::toolcall
