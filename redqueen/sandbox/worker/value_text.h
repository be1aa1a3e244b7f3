// The text of a Python value, written without running any method of a class that the program
// defined, unless the value is of such a class.
#pragma once

#include <Python.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace redqueen::sandbox::worker {

// The text grew beyond its limit.
struct TextTooLong : std::runtime_error {
  TextTooLong() : std::runtime_error("the text of the value is too long") {}
};

// A Python exception is set.
struct PythonError {};

struct ValueText {
  std::string value;      // as repr() would write it
  std::string canonical;  // for the runtime's compare(); empty: not comparable
  std::string json;       // empty: has none
};

// Once, before any program runs: the types of the standard library that are comparable. False: a
// Python exception is set, or one is not what it should be.
bool keep_library_types();

// Throws PythonError (also for nesting beyond 1,000 levels), TextTooLong beyond `limit` bytes,
// std::bad_alloc.
ValueText describe(PyObject* value, std::size_t limit);

// str(object) in UTF-8, of at most `limit` bytes; what Python cannot say becomes a remark in angle
// brackets. Never throws Python exceptions and leaves none set.
std::string text_of(PyObject* object, std::size_t limit);

}  // namespace redqueen::sandbox::worker
