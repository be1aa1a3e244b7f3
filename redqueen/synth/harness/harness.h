// The Python side of synth, as text: the programs that the sandbox loads before a policy's code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/sandbox/job.h"

namespace redqueen::synth {

// Returns the programs that host_program() runs before the environment; a sandbox that has them
// compiled starts each faster (SandboxConfig::preludes).
std::vector<std::string> harness_preludes();

// A program for the sandbox that hosts the environment of this source, in a separate namespace: its
// line numbers are those of its file. It offers make(seed, level), score(state, text) and what the
// layers of validation ask; the environment's code reaches none of it by name.
sandbox::Program host_program(std::string_view environment_source, const sandbox::Limits& limits);

// A string literal of Python with this text. Invalid UTF-8 becomes U+FFFD.
std::string python_literal(std::string_view text);

}  // namespace redqueen::synth
