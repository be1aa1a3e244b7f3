#include "redqueen/recipes/rlve/rlve_settings.h"

namespace redqueen::rlve {

void RlveSettings::declare(run::Settings& settings) {
  run::Section section = settings.section("rlve", "Recipe rlve: its own options.");
  section.field("tokens_per_round", tokens_per_round,
                {.help = "Tokens of a response in a round of sampling; a longer one goes on in the "
                         "next round, or the next step. It divides sampling.max_new_tokens, or is "
                         "not less. 0: a response is drawn at once.",
                 .min = 0});
}

}  // namespace redqueen::rlve
