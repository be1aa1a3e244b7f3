// The model card (README.md) of a policy for the Hugging Face Hub.
#pragma once

#include <string>

#include "redqueen/base/error.h"

namespace redqueen {

struct CardOptions {
  std::string folder;   // of the policy
  std::string name;     // on the Hub, "org/name"
  std::string run;      // that made it; empty: the run in whose folder it lies, if it lies in one
  std::string base;     // on the Hub, "org/name" or "org/name@revision"; empty: as the run says
  std::string license;  // as the Hub calls it; empty: that of the base, if it is known
};

struct ModelCard {
  std::string text;
  std::string base;  // on the Hub; empty: not known
};

// Writes what a reader of the model needs: base and licence, recipe, how it is asked, its scores
// with 95 % intervals, and the settings that are not defaults. Nothing of this machine is in it:
// of paths their last part is left, of endpoints nothing. Fails for a run that cannot be read.
Expected<ModelCard> make_model_card(const CardOptions& options);

}  // namespace redqueen
