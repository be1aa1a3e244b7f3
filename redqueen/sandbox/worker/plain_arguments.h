// The quick way from text to arguments: what nearly every call is given (numbers, plain strings,
// lists, tuples, dictionaries) is read here, without compiling anything; everything else is left to
// the runtime, which knows the rest.
#pragma once

#include <Python.h>

#include <string_view>

namespace redqueen::sandbox::worker {

enum class Dialect {
  kPython,  // the inside of a call's parentheses, positional arguments only: "1, [2, 'a']"
  kJson,    // an array: "[1, [2, \"a\"]]"
};

// A new tuple with exactly what Python's own parser would make of `text`, or null without an
// exception: not plain, or not valid.
PyObject* plain_arguments(std::string_view text, Dialect dialect);

// True if `text` is a name in ASCII that is no keyword, so that it means the same as an expression.
bool is_plain_name(std::string_view text);

// --- canonical texts ----------------------------------------------------------------------------

// Once, before any program runs. `subclass`: makes the value of a Subclass(name, value).
bool keep_constructors(PyObject* subclass);

// A new value from a text that value_text.h writes, or null without an exception: no such text.
// Evaluates nothing: there are no operators, no names but those of the forms, and no value that is
// larger than its text.
PyObject* read_canonical(std::string_view text);

}  // namespace redqueen::sandbox::worker
