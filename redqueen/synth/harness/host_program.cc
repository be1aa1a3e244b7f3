#include "redqueen/base/json.h"
#include "redqueen/synth/embedded_files.h"
#include "redqueen/synth/harness/harness.h"

namespace redqueen::synth {

// Every escape of JSON means the same in Python.
std::string python_literal(std::string_view text) { return dump_json(Json(std::string(text))); }

std::vector<std::string> harness_preludes() {
  return {std::string(harness_source()), std::string(layers_source()), std::string(probes_source()),
          std::string(inputs_source())};
}

// The same whatever it is asked: an environment cannot tell the program that judges it from the one
// that it will train.
sandbox::Program host_program(std::string_view environment_source, const sandbox::Limits& limits) {
  sandbox::Program program;
  program.preludes = harness_preludes();
  program.hidden = true;
  program.source = fmt::format("boot({}, {})\n", python_literal(base_source()),
                               python_literal(environment_source));
  program.profile = sandbox::pure_profile();
  program.limits = limits;
  return program;
}

}  // namespace redqueen::synth
