// The limits of a program in the sandbox. Each is a member of Limits and a row of kLimits, and
// everything that names all limits goes through the rows: requests, the table [sandbox] of a
// configuration, the flags of `redqueen sandbox run` and the frames to a worker. docs/sandbox.md
// has the steps of adding one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace redqueen::sandbox {

// The limits of one call (or, for a program without calls, of the program). A breach ends the child
// that runs it.
struct Limits {
  double wall_seconds = 10;
  double cpu_seconds = 0;
  std::uint64_t memory_bytes = 512ULL << 20;
  std::uint64_t output_bytes = 1ULL << 20;
  int recursion = 1000;
  bool operator==(const Limits&) const = default;
};

// Describes a limit of type T: double, std::uint64_t or int. The bounds are for people, who set
// limits in a configuration, on the command line or in a request; code may set any value.
template <typename T>
struct Limit {
  using Value = T;

  T Limits::*member;
  std::string_view name;     // as a request has it: the member's
  std::string_view setting;  // its name in the table [sandbox]
  std::string_view flag;     // of `redqueen sandbox run`
  T least, most;             // both are allowed
  std::string_view help;     // one sentence
  T unit = 1;                // of setting and flag, in those of the member: 1024 for KiB

  // Returns the bounds of the setting and the flag, in their unit.
  [[nodiscard]] constexpr T least_setting() const {
    if constexpr (std::is_integral_v<T>) return (least + unit - 1) / unit;
    return least / unit;
  }
  [[nodiscard]] constexpr T most_setting() const { return most / unit; }
};

inline constexpr std::tuple kLimits{
    Limit<double>{.member = &Limits::wall_seconds,
                  .name = "wall_seconds",
                  .setting = "wall_seconds",
                  .flag = "--wall",
                  .least = 0.001,
                  .most = 1e6,
                  .help = "Time limit of a call."},
    Limit<double>{.member = &Limits::cpu_seconds,
                  .name = "cpu_seconds",
                  .setting = "cpu_seconds",
                  .flag = "--cpu",
                  .least = 0,
                  .most = 1e6,
                  .help = "CPU limit of a call; 0: only the time limit counts."},
    Limit<std::uint64_t>{.member = &Limits::memory_bytes,  // of address space
                         .name = "memory_bytes",
                         .setting = "memory_mib",
                         .flag = "--memory",
                         .least = 8ULL << 20,
                         .most = 16ULL << 40,
                         .help = "Memory of a child beyond the interpreter's own.",
                         .unit = 1ULL << 20},
    Limit<std::uint64_t>{.member = &Limits::output_bytes,
                         .name = "output_bytes",
                         .setting = "output_kib",
                         .flag = "--output",
                         .least = 1,
                         .most = 256ULL << 20,
                         .help = "Size of stdout, of stderr, of the value's text and of any file "
                                 "that the program writes, each.",
                         .unit = 1ULL << 10},
    Limit<int>{.member = &Limits::recursion,
               .name = "recursion",
               .setting = "recursion",
               .flag = "--recursion",
               .least = 50,
               .most = 1'000'000,
               .help = "Python's recursion limit."}};

// Calls visit(limit) with the Limit<T> of every row, in order.
template <typename Visit>
constexpr void for_each_limit(Visit&& visit) {
  std::apply([&](const auto&... limit) { (visit(limit), ...); }, kLimits);
}

// Returns the row of a member.
template <typename T>
constexpr Limit<T> limit_of(T Limits::*member) {
  Limit<T> found{};
  for_each_limit([&](const auto& limit) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(limit)>::Value, T>) {
      if (limit.member == member) found = limit;
    }
  });
  return found;
}

namespace limits_detail {

struct AnyNumber {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): only its type is looked at
};

template <std::size_t... I>
constexpr bool can_be_made_of(std::index_sequence<I...>) {
  return requires { Limits{(static_cast<void>(I), AnyNumber())...}; };
}

// A setting can hold a default only if that is a whole number of its unit.
constexpr bool defaults_are_settings() {
  bool all = true;
  for_each_limit([&](const auto& limit) {
    const auto value = Limits().*limit.member;
    const auto setting = value / limit.unit;
    all = all && setting * limit.unit == value && setting >= limit.least_setting() &&
          setting <= limit.most_setting();
  });
  return all;
}

constexpr std::size_t kRows = std::tuple_size_v<decltype(kLimits)>;
static_assert(can_be_made_of(std::make_index_sequence<kRows>()) &&
                  !can_be_made_of(std::make_index_sequence<kRows + 1>()),
              "every member of Limits has a row in kLimits");
static_assert(defaults_are_settings());

}  // namespace limits_detail
}  // namespace redqueen::sandbox
