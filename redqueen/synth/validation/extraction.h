// Finds the code in the response of a policy that was asked for code.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redqueen::synth {

// The content of the longest fenced block (``` or ~~~, closed by a fence of the same letter that is
// at least as long) whose info string is empty, "py" or "python" (any case, maybe with a version or
// attributes behind it). Of equally long ones the last. A block that the response's end cuts off
// counts only if there is no other: a truncated answer then fails as what it is, code that stops.
// nullopt: no such block. Linear in the response; never throws.
std::optional<std::string> longest_python_block(std::string_view response);

}  // namespace redqueen::synth
