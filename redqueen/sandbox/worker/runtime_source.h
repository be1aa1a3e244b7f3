// The part of the worker that is written in Python: runtime.py, embedded by worker.cmake.
#pragma once

#include <string_view>

namespace redqueen::sandbox {

// Its text, which a NUL follows. It defines, in a separate module:
//   Refused                                       the exception of an import outside the profile
//   check(tree)                                   raises Refused for what the syntax tree shows to
//                                                 be outside
//   expression(function, text)                    code of function(text) if it is one call and
//                                                 nothing else
//   literal_arguments(text), json_arguments(text) (args, kwargs)
//   warm_up()                                     run once before the first fork
//   compare(left, right, strict, unread)          of values, or of texts where `unread` says so;
//                                                 raises ValueError for what is no literal
// Every function runs before the program or in a child that runs none, so a program cannot tamper
// with it.
std::string_view runtime_source();

}  // namespace redqueen::sandbox
