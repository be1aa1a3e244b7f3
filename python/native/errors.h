// Errors of the engine as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <string>
#include <utility>

#include "redqueen/base/error.h"

namespace redqueen::python {

// Carries an error to Python, where it becomes redqueen.Error or, for wrong usage,
// redqueen.UsageError.
class Raised : public std::exception {
 public:
  explicit Raised(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

template <typename T>
T value_or_raise(Expected<T> value) {
  if (!value) throw Raised(std::move(value).error());
  if constexpr (!std::is_void_v<T>) return *std::move(value);
}

template <typename... Args>
[[noreturn]] void raise_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw Raised({ErrorKind::kUsage, fmt::format(text, std::forward<Args>(args)...)});
}

// repr() of what an error speaks of.
inline std::string shown_value(nanobind::handle value) {
  return nanobind::cast<std::string>(nanobind::repr(value));
}

}  // namespace redqueen::python
