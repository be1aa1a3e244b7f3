// The environment contract: a struct of plain types and pure functions becomes an Environment.
//
//   struct Doubling {
//     static constexpr Card card{.name = "Doubling", …};
//     struct Config  { std::int64_t max; REDQUEEN_FIELDS(max) };                    // what a level
//     fixes struct Problem { std::int64_t max; std::int64_t x; REDQUEEN_FIELDS(max, x) };  // what
//     a problem is using Answer = BigInt; static Config at_level(int level, Rng& rng); // the
//     difficulty ladder, level ≥ 0 static Problem generate(const Config& config, Rng& rng); //
//     throws Retry to be called again static Status check(const Problem& problem); // of a problem
//     from outside: can it be? static std::string prompt(const Problem& problem); static
//     std::optional<Answer> parse(std::string_view answer);   // nullopt: malformed; linear time,
//     never throws static double score(const Problem& problem, const Answer& a);  // in [−1, 1]; 1
//     only if right; never throws static Answer solve(const Problem& problem);                   //
//     an answer that scores 1 static Answer random_answer(const Problem& problem, Rng& rng); // of
//     the asked form; need not be a clever guess
//   };
//   REDQUEEN_ENVIRONMENT(Doubling);
//
// Optional members:
//     static std::optional<Answer> parse(const Problem&, std::string_view);  // in place of parse:
//     form depends on problem static std::string format(const Answer&);                // where
//     format_answer (answer.h) has no form for it static std::string format(const Problem&, const
//     Answer&); static double passing(const Problem&);                   // reward from which an
//     answer is solved; default 1 static std::string example(const Problem&);              // the
//     example answer that the prompt shows static std::vector<NamedAnswer> shortcuts(const
//     Problem&);  // what simple rules answer, for the audit
//
// check() guards prompt, score and the rest: they may rely on everything that it asked for, and on
// nothing else.
#pragma once

#include <cassert>
#include <chrono>
#include <cmath>
#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/core/answer.h"
#include "redqueen/core/big_int.h"
#include "redqueen/core/card.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/error.h"
#include "redqueen/core/fields.h"
#include "redqueen/core/registry.h"
#include "redqueen/core/reward.h"
#include "redqueen/core/rng.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

// Thrown by generate(): this draw is of no use, draw again.
struct Retry {};

template <typename E>
concept ParsesAlone = requires(std::string_view text) {
  { E::parse(text) } -> std::same_as<std::optional<typename E::Answer>>;
};

template <typename E>
concept ParsesWithProblem = requires(const typename E::Problem& problem, std::string_view text) {
  { E::parse(problem, text) } -> std::same_as<std::optional<typename E::Answer>>;
};

// What an author writes. A missing or mistyped member is named by the compiler.
template <typename E>
concept EnvironmentDefinition =
    HasFields<typename E::Config> && HasFields<typename E::Problem> &&
    (ParsesAlone<E> || ParsesWithProblem<E>)&&requires(
        int level, Rng& rng, const typename E::Config& config, const typename E::Problem& problem,
        const typename E::Answer& answer) {
      { E::card } -> std::convertible_to<const Card&>;
      { E::at_level(level, rng) } -> std::same_as<typename E::Config>;
      { E::generate(config, rng) } -> std::same_as<typename E::Problem>;
      { E::check(problem) } -> std::same_as<Status>;
      { E::prompt(problem) } -> std::same_as<std::string>;
      { E::score(problem, answer) } -> std::same_as<double>;
      { E::solve(problem) } -> std::same_as<typename E::Answer>;
      { E::random_answer(problem, rng) } -> std::same_as<typename E::Answer>;
    };

// A problem of a native environment, behind the seam.
template <EnvironmentDefinition E>
class NativeProblem final : public Problem {
 public:
  using Data = typename E::Problem;
  using Answer = typename E::Answer;

  explicit NativeProblem(Data data) : data_(std::move(data)) {}

  const Data& data() const { return data_; }

  std::string prompt() const override { return E::prompt(data_); }
  Json parameter() const override { return to_json(data_); }
  std::string reference() const override { return format(E::solve(data_)); }

  Verdict score(std::string_view text) const override {
    const std::optional<Answer> answer = parse(text);
    if (!answer) return {};
    double reward = E::score(data_, *answer);
    assert(reward >= -1.0 && reward <= 1.0);
    if (!std::isfinite(reward)) reward = kMalformedReward;
    return {
        .reward = reward, .solved = reward >= passing(), .well_formed = reward > kMalformedReward};
  }

  std::string random_answer(Rng& rng) const override {
    return format(E::random_answer(data_, rng));
  }

  std::string example() const override {
    if constexpr (requires { E::example(data_); }) return E::example(data_);
    return {};
  }

  std::vector<NamedAnswer> shortcuts() const override {
    if constexpr (requires { E::shortcuts(data_); }) return E::shortcuts(data_);
    return {};
  }

 private:
  std::optional<Answer> parse(std::string_view text) const {
    if constexpr (ParsesWithProblem<E>) {
      return E::parse(data_, text);
    } else {
      return E::parse(text);
    }
  }

  std::string format(const Answer& answer) const {
    if constexpr (requires { E::format(data_, answer); }) {
      return E::format(data_, answer);
    } else if constexpr (requires { E::format(answer); }) {
      return E::format(answer);
    } else {
      return format_answer(answer);
    }
  }

  double passing() const {
    if constexpr (requires { E::passing(data_); }) return E::passing(data_);
    return kSolvedReward;
  }

  Data data_;
};

// A native environment, behind the seam.
template <EnvironmentDefinition E>
class NativeEnvironment final : public Environment {
 public:
  const Card& card() const override { return E::card; }

  tl::expected<ProblemPtr, GenerationFailure> generate(
      int level, std::uint64_t seed, std::uint64_t salt,
      const GenerationLimits& limits) const override {
    if (level < 0 || level > E::card.max_level) {
      return fail(GenerationFault::kLevel,
                  fmt::format("level {} is not in 0..{}", level, E::card.max_level));
    }
    const ProblemAddress where = address(level, seed, salt);
    const auto start = std::chrono::steady_clock::now();
    for (int attempt = 0; attempt < limits.attempts; ++attempt) {
      Rng rng(where.random(static_cast<std::uint64_t>(attempt)));
      rng.set_budget(limits.draws_per_attempt / 4);
      try {
        const auto config = E::at_level(level, rng);
        return std::make_unique<const NativeProblem<E>>(E::generate(config, rng));
      } catch (const Retry&) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (spent.count() > limits.seconds) {
          return fail(GenerationFault::kTime, fmt::format("no problem after {} attempts in {} s",
                                                          attempt + 1, limits.seconds));
        }
      } catch (const DrawBudgetExceeded&) {
        return fail(GenerationFault::kDraws,
                    fmt::format("attempt {} drew more than {} random numbers", attempt + 1,
                                limits.draws_per_attempt));
      } catch (const std::exception& error) {
        return fail(GenerationFault::kInternal, error.what());
      }
    }
    return fail(GenerationFault::kAttempts,
                fmt::format("no problem in {} attempts", limits.attempts));
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    auto data = from_json<typename E::Problem>(parameter);
    if (!data) return failure("{}: parameter {}", E::card.name, data.error().message);
    if (auto sound = E::check(*data); !sound) {
      return failure("{}: parameter {}", E::card.name, sound.error().message);
    }
    return std::make_unique<const NativeProblem<E>>(std::move(*data));
  }

  Json level_parameter(int level, Rng& rng) const override {
    return to_json(E::at_level(level, rng));
  }

 private:
  static tl::unexpected<GenerationFailure> fail(GenerationFault fault, std::string message) {
    return tl::make_unexpected(GenerationFailure{fault, std::move(message)});
  }
};

// Enters an environment in the registry. Once, in its .cc file.
#define REDQUEEN_ENVIRONMENT(Definition)                                  \
  static_assert(::redqueen::EnvironmentDefinition<Definition>,            \
                #Definition " does not keep the contract of contract.h"); \
  [[maybe_unused]] static const bool redqueen_registered_##Definition =   \
      ::redqueen::Registry::instance().add(                               \
          std::make_unique<const ::redqueen::NativeEnvironment<Definition>>())

}  // namespace redqueen
