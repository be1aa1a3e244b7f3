// The part of the worker that is written in Python.
#pragma once

namespace redqueen::worker {

// Defines, in a module of its own:
//   Refused                                       the exception of an import outside the profile
//   check(tree)                                   raises Refused for what the syntax tree shows to be outside
//   expression(function, text)                    code of function(text) if it is one call and nothing else
//   literal_arguments(text), json_arguments(text) (args, kwargs)
//   warm_up()                                     run once before the first fork
//   compare(left, right, strict)                  raises ValueError for what is no literal
// Every function runs before the program or in a child that runs none, so a program cannot tamper with it.
extern const char* const kRuntimeSource;

}  // namespace redqueen::worker
