// Expected failure as a value: Expected<T> holds a T or an Error with a sentence for the user.
#pragma once

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

namespace redqueen {

// The party at fault; the command line turns it into the exit code.
enum class ErrorKind {
  kUsage,    // the caller asked for something that does not exist or cannot be: exit code 2
  kFailure,  // the request was sound, the work failed: exit code 1
};

// One message: the event, its place, and the remedy.
struct Error {
  ErrorKind kind = ErrorKind::kFailure;
  std::string message;
};

template <typename T>
using Expected = tl::expected<T, Error>;

using Status = Expected<void>;

// Formats the message in one function per object file: a call costs less code than formatting in
// place.
[[gnu::noinline, gnu::cold]] inline tl::unexpected<Error> failure_of(ErrorKind kind,
                                                                     fmt::string_view text,
                                                                     fmt::format_args args) {
  return tl::make_unexpected(Error{kind, fmt::vformat(text, args)});
}

// return failure("{}: cannot be opened ({})", path, reason);
template <typename... Args>
tl::unexpected<Error> failure(fmt::format_string<Args...> text, Args&&... args) {
  return failure_of(ErrorKind::kFailure, text, fmt::make_format_args(args...));
}

// Returns the system's text for a value of errno, for a failure's sentence.
inline std::string system_reason(int error) { return std::generic_category().message(error); }

// Makes the error of a request that can never succeed as it was made.
template <typename... Args>
tl::unexpected<Error> usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return failure_of(ErrorKind::kUsage, text, fmt::make_format_args(args...));
}

}  // namespace redqueen

#define REDQUEEN_JOIN_(a, b) a##b
#define REDQUEEN_JOIN(a, b) REDQUEEN_JOIN_(a, b)

// ASSIGN_OR_RETURN(auto x, f()); x is the value of f(), or the function returns f()'s error.
#define ASSIGN_OR_RETURN(declaration, ...) \
  REDQUEEN_ASSIGN_OR_RETURN(REDQUEEN_JOIN(outcome_, __LINE__), declaration, __VA_ARGS__)
#define REDQUEEN_ASSIGN_OR_RETURN(outcome, declaration, ...)  \
  auto outcome = (__VA_ARGS__);                               \
  if (!outcome) [[unlikely]]                                  \
    return ::tl::make_unexpected(std::move(outcome).error()); \
  declaration = *std::move(outcome)

// RETURN_IF_ERROR(f()); the function returns f()'s error, if there is one.
#define RETURN_IF_ERROR(...)                                                 \
  do {                                                                       \
    if (auto status_or_error = (__VA_ARGS__); !status_or_error) [[unlikely]] \
      return ::tl::make_unexpected(std::move(status_or_error).error());      \
  } while (false)
