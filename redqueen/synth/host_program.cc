#include "redqueen/core/json.h"
#include "redqueen/synth/harness.h"

namespace redqueen {

// Every escape of JSON means the same in Python.
std::string python_literal(std::string_view text) { return dump_json(Json(std::string(text))); }

std::vector<std::string> harness_preludes() {
  return {std::string(harness_source()), std::string(layers_source()),
          std::string(probes_source())};
}

Program host_program(std::string_view environment_source, HarnessPart part, const Limits& limits) {
  Program program;
  program.preludes.emplace_back(harness_source());
  if (part == HarnessPart::kLayers) program.preludes.emplace_back(layers_source());
  if (part == HarnessPart::kProbes) program.preludes.emplace_back(probes_source());
  program.source = fmt::format("boot({}, {})\n", python_literal(base_source()),
                               python_literal(environment_source));
  program.profile = pure_profile();
  program.limits = limits;
  return program;
}

}  // namespace redqueen
