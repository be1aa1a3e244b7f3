// Finds the right answer of a problem once, for all scores.
//
// A problem that stores no reference would otherwise be solved again for every answer to it. An
// environment that is entered with REDQUEEN_REMEMBERING_ENVIRONMENT is given the right answer
// instead:
//
//   static double score(const Problem& problem, const Answer& answer, const Answer& right);
//
// `right` is what solve() returns. A score that compares with something else (the sizes of all
// parts, say) brings a function for that, and gets what it returns:
//
//   static Measure measure(const Problem& problem);
//
// It follows from the problem alone, so that a parameter from outside has nothing to forge.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "redqueen/core/contract.h"

namespace redqueen {

// A value that is found when it is first asked for. Any number of threads may ask at once: some of
// them may then find it too, and all get the same one.
template <typename Value>
class Remembered {
 public:
  Remembered() = default;
  Remembered(Remembered&& other) noexcept : value_(other.value_.exchange(nullptr)) {}
  Remembered& operator=(Remembered&& other) noexcept {
    std::unique_ptr<const Value>(value_.exchange(other.value_.exchange(nullptr)));  // NOLINT
    return *this;
  }
  ~Remembered() { delete value_.load(); }

  template <typename Find>
  const Value& get(Find find) const {
    if (const Value* known = value_.load(std::memory_order_acquire)) return *known;
    auto found = std::make_unique<const Value>(find());
    const Value* first = nullptr;
    if (value_.compare_exchange_strong(first, found.get(), std::memory_order_acq_rel)) {
      first = found.release();
    }
    return *first;
  }

 private:
  mutable std::atomic<const Value*> value_ = nullptr;
};

// The type of the remembered answer of E.
template <typename E>
auto measure_of(const typename E::Problem& problem) {
  if constexpr (requires { E::measure(problem); }) {
    return E::measure(problem);
  } else {
    return E::solve(problem);
  }
}

// Turns the definition E, whose score() takes the right answer, into one that keeps the contract.
// Problems remember nothing while E draws them: what it changes then is never compared with what
// was before.
template <typename E>
struct Remembering : E {
  struct Problem : E::Problem {
    Remembered<decltype(measure_of<E>(std::declval<const typename E::Problem&>()))> measured;
  };

  static Problem generate(const typename E::Config& config, Rng& rng) {
    return {E::generate(config, rng), {}};
  }

  static Problem published(const typename E::Config& config, Rng& rng)
    requires requires { E::published(config, rng); }
  {
    return {E::published(config, rng), {}};
  }

  static double score(const Problem& problem, const typename E::Answer& answer) {
    return E::score(problem, answer, right_of(problem));
  }

  static typename E::Answer solve(const Problem& problem) {
    if constexpr (requires { E::measure(problem); }) {
      return E::solve(problem);
    } else {
      return right_of(problem);
    }
  }

 private:
  static const auto& right_of(const Problem& problem) {
    return problem.measured.get([&] { return measure_of<E>(problem); });
  }
};

// Enters an environment that remembers. Once, in its .cc file.
// NOLINTBEGIN(bugprone-macro-parentheses): a type in angle brackets takes none
#define REDQUEEN_REMEMBERING_ENVIRONMENT(Definition)                   \
  using Remembering##Definition = ::redqueen::Remembering<Definition>; \
  REDQUEEN_ENVIRONMENT(Remembering##Definition)
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace redqueen
