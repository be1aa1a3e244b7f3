// Layer 5, third part: finds out whether the statement is written in words. A small policy writes
// "the leagigits of {a}" over sound code; nobody can tell from it what is asked.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "redqueen/synth/validation/variation.h"

namespace redqueen::synth {

// True if an English word list (SCOWL's, American and British spelling, with the terms of
// terms.txt) has this word, or the word that it is derived from by a usual prefix or suffix
// ("submultiset", "optimally"). In lower case; "doesn't" and "list's" are words, names are none.
bool is_english(std::string_view word);

// kUnknownWord: a word of the sentences that is_english() does not have, or a placeholder that a
// word touches ("neighbour{}"). Where English has less than half of eight words or more, the
// statement is in another language, and nothing is said. Capitalised words, words of fewer than
// three letters, quoted ones, those beside digits or symbols (x_max, `a`, \frac, f(x)), those with
// letters outside ASCII, and the `names` of the code, in lower case, are not looked up.
// Placeholders are written {}.
ValidationFinding check_spelling(std::span<const std::string> sentences,
                                 std::span<const std::string> names);

}  // namespace redqueen::synth
