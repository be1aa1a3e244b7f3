#include "redqueen/core/json.h"
#include "redqueen/synth/harness.h"

namespace redqueen {

// Every escape of JSON means the same in Python.
std::string python_literal(std::string_view text) { return dump_json(Json(std::string(text))); }

Program host_program(std::string_view environment_source, HarnessPart part, const Limits& limits) {
  Program program;
  program.source = harness_source();
  if (part == HarnessPart::kLayers) program.source += layers_source();
  if (part == HarnessPart::kProbes) program.source += probes_source();
  program.source += fmt::format("\nboot({}, {})\n", python_literal(base_source()),
                                python_literal(environment_source));
  program.profile = pure_profile();
  program.limits = limits;
  return program;
}

}  // namespace redqueen
