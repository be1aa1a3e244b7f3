// Expected failure as a value: Expected<T> holds a T or an Error with a sentence for the user.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace redqueen {

// Whose fault it is; the command line turns it into the exit code.
enum class ErrorKind {
  kUsage,    // the caller asked for something that does not exist or cannot be: exit code 2
  kFailure,  // the request was sound, the work failed: exit code 1
};

// What happened, where, and what to do, in one message.
struct Error {
  ErrorKind kind = ErrorKind::kFailure;
  std::string message;
};

template <typename T>
using Expected = tl::expected<T, Error>;

using Status = Expected<void>;

// return failure("{}: cannot be opened ({})", path, reason);
template <typename... Args>
tl::unexpected<Error> failure(fmt::format_string<Args...> text, Args&&... args) {
  return tl::make_unexpected(
      Error{ErrorKind::kFailure, fmt::format(text, std::forward<Args>(args)...)});
}

// As failure(), for a request that can never succeed as it was made.
template <typename... Args>
tl::unexpected<Error> usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return tl::make_unexpected(
      Error{ErrorKind::kUsage, fmt::format(text, std::forward<Args>(args)...)});
}

}  // namespace redqueen
