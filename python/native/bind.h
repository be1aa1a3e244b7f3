// The parts of the extension module, each of which adds its classes and functions to it.
#pragma once

#include <nanobind/nanobind.h>

namespace redqueen::python {

void bind_problems(nanobind::module_& module);  // Env, Problem, Verdict, Suite
void bind_batches(nanobind::module_& module);   // making and scoring many
void bind_episodes(nanobind::module_& module);
void bind_curriculum(nanobind::module_& module);
void bind_sandbox(nanobind::module_& module);
void bind_synth(nanobind::module_& module);  // validation and novelty
void bind_own_environments(nanobind::module_& module);

}  // namespace redqueen::python
