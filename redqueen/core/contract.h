// The environment contract: a struct of plain types and pure functions becomes an Environment.
//
// An environment asks once (example_environment.cc is a whole one) or takes turns
// (testing/hidden_number.h is a whole one). Every environment brings:
//
// clang-format off
//   static constexpr Card card;                                    what it says of itself
//   struct Config  { …; REDQUEEN_FIELDS(…) };                      what a level fixes
//   struct Problem { …; REDQUEEN_FIELDS(…) };                      what a problem is
//   static Config at_level(int level, Rng& rng);                   the difficulty ladder, level ≥ 0
//   static Problem generate(const Config& config, Rng& rng);       throws Retry to be called again
//   static Status check(const Problem& problem);                   of a problem from outside: can
//                                                                  it be?
//   static std::string prompt(const Problem& problem);             the statement
//
// One that asks once (SingleTurnDefinition) also brings:
//
//   using Answer = …;                                              what parse() makes of an answer
//   static double score(const Problem& problem, const Answer& a);  in [−1, 1]; 1 only if right;
//                                                                  never throws
//   static Answer solve(const Problem& problem);                   an answer that scores 1
//   static Answer random_answer(const Problem& problem, Rng& rng); of the asked form; need not be a
//                                                                  clever guess
//
// and may bring:
//
//   static std::optional<Answer> parse(std::string_view answer);   nullopt: malformed; linear time,
//                                                                  never throws; by default
//                                                                  parse_answer<Answer> of answer.h
//   static std::optional<Answer> parse(const Problem&, std::string_view);  where the form depends
//                                                                          on the problem
//   static std::string format(const Answer&);                      where format_answer (answer.h)
//                                                                  has no form for it
//   static std::string format(const Problem&, const Answer&);
//   static double passing(const Problem&);                         reward from which an answer is
//                                                                  solved; default 1
//
// One that RLVE-Gym has as well (Card::published) may bring, where its own problems are drawn
// otherwise than the published ones:
//
//   static Problem published(const Config& config, Rng& rng);      draws as RLVE-Gym draws; throws
//                                                                  Retry to be called again
//   static Config published_level(int level, Rng& rng);            RLVE-Gym's difficulty ladder;
//                                                                  default: at_level
//
// One that takes turns (MultiTurnDefinition) includes core/turns_contract.h and also brings:
//
//   struct State { …; REDQUEEN_FIELDS(…) };                        what changes while an episode
//                                                                  runs
//   static State begin(const Problem&);                            the state before the first turn
//   static Observation step(const Problem&, State&, const Action&);  answers a turn; never throws,
//                                                                    bounded time
//   static Verdict verdict(const Problem&, const State&);          on what happened so far; never
//                                                                  throws
//   static int max_turns(const Problem&);                          the turn after which an episode
//                                                                  is truncated
//   static std::vector<Action> solve_turns(const Problem&);        turns that end it as solved
//   static std::vector<Action> random_turns(const Problem&, Rng&); turns of the asked form
//
// and may bring:
//
//   static std::vector<ToolSpec> tools(const Problem&);            tools offered from the start
//                                                                  (core/tool.h)
//   static Observation observe(const Problem&, const State&);      the first observation; default:
//                                                                  the prompt as a user's message,
//                                                                  and the tools
//
// Both may bring, for the audit (of turns: a transcript, see episode.h):
//
//   static std::string example(const Problem&);                    the example answer that the
//                                                                  prompt shows
//   static std::vector<NamedAnswer> shortcuts(const Problem&);     what simple rules answer
// clang-format on
//
// check() guards prompt, score, begin and the rest: they may rely on everything that it asked for,
// and on nothing else. The rewards of an episode's steps add up to the reward of its verdict:
// step() may set those of single steps (by default they are 0), and the last step pays the rest.
// step() is never called after the end.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/big_int.h"
#include "redqueen/base/error.h"
#include "redqueen/base/field_list.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/card.h"
#include "redqueen/core/problem.h"
#include "redqueen/core/reward.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

struct Observation;  // episode.h

// Thrown by generate(): this draw is of no use, draw again.
struct Retry {};

// The two generators of an environment that RLVE-Gym has as well. Both make problems of one type,
// which have the same statements, references and rewards.
enum class Generator {
  kHardened,   // refuses problems that a simple rule solves: the environment NAME
  kPublished,  // draws what RLVE-Gym draws: the environment NAME:published
};

template <typename E>
concept ParsesAlone = requires(std::string_view text) {
  { E::parse(text) } -> std::same_as<std::optional<typename E::Answer>>;
};

template <typename E>
concept ParsesWithProblem = requires(const typename E::Problem& problem, std::string_view text) {
  { E::parse(problem, text) } -> std::same_as<std::optional<typename E::Answer>>;
};

// An answer type that answer.h reads by itself.
template <typename E>
concept ParsesByType = requires(std::string_view text) {
  { parse_answer<typename E::Answer>(text) } -> std::same_as<std::optional<typename E::Answer>>;
};

// The members that every environment has.
template <typename E>
concept CommonDefinition = HasFields<typename E::Config> && HasFields<typename E::Problem> &&
                           requires(int level, Rng& rng, const typename E::Config& config,
                                    const typename E::Problem& problem) {
                             { E::card } -> std::convertible_to<const Card&>;
                             { E::at_level(level, rng) } -> std::same_as<typename E::Config>;
                             { E::generate(config, rng) } -> std::same_as<typename E::Problem>;
                             { E::check(problem) } -> std::same_as<Status>;
                             { E::prompt(problem) } -> std::same_as<std::string>;
                           };

// An environment of one question and one answer.
template <typename E>
concept SingleTurnDefinition =
    CommonDefinition<E> &&
    (ParsesAlone<E> || ParsesWithProblem<E> || ParsesByType<E>)&&requires(
        Rng& rng, const typename E::Problem& problem, const typename E::Answer& answer) {
      { E::score(problem, answer) } -> std::same_as<double>;
      { E::solve(problem) } -> std::same_as<typename E::Answer>;
      { E::random_answer(problem, rng) } -> std::same_as<typename E::Answer>;
    };

// An environment that answers back.
template <typename E>
concept MultiTurnDefinition =
    CommonDefinition<E> && HasFields<typename E::State> &&
    requires(Rng& rng, const typename E::Problem& problem, typename E::State& state,
             const typename E::State& seen, const Action& action) {
      { E::begin(problem) } -> std::same_as<typename E::State>;
      { E::step(problem, state, action) } -> std::same_as<Observation>;
      { E::verdict(problem, seen) } -> std::same_as<Verdict>;
      { E::max_turns(problem) } -> std::same_as<int>;
      { E::solve_turns(problem) } -> std::same_as<std::vector<Action>>;
      { E::random_turns(problem, rng) } -> std::same_as<std::vector<Action>>;
    };

// The concept that an author's struct models. The compiler names a missing or mistyped member.
template <typename E>
concept EnvironmentDefinition = SingleTurnDefinition<E> || MultiTurnDefinition<E>;

// The part of native problems that needs no template, compiled once.
class NativeProblemRoot : public Problem {
 public:
  Json parameter() const final;

 private:
  virtual void write_parameter(Json& out) const = 0;
};

// The base of problems of both kinds.
template <CommonDefinition E>
class NativeProblemBase : public NativeProblemRoot {
 public:
  using Data = typename E::Problem;

  explicit NativeProblemBase(Data data) : data_(std::move(data)) {}

  const Data& data() const { return data_; }

  std::string prompt() const override { return E::prompt(data_); }
  AnswerKind answer_kind() const override { return E::card.answer; }

  std::string example() const override {
    if constexpr (requires { E::example(data_); }) return E::example(data_);
    return {};
  }

  std::vector<NamedAnswer> shortcuts() const override {
    if constexpr (requires { E::shortcuts(data_); }) return E::shortcuts(data_);
    return {};
  }

 private:
  void write_parameter(Json& out) const override { write_fields(out, data_); }

  Data data_;
};

// A problem of a native environment, behind the seam.
template <EnvironmentDefinition E>
class NativeProblem;

template <SingleTurnDefinition E>
class NativeProblem<E> final : public NativeProblemBase<E> {
 public:
  using Answer = typename E::Answer;
  using NativeProblemBase<E>::NativeProblemBase;
  using NativeProblemBase<E>::data;

  std::string reference() const override { return format(E::solve(data())); }

  Verdict score(std::string_view text) const override {
    const std::optional<Answer> answer = parse(text);
    return answer ? verdict_of(E::score(data(), *answer), passing()) : Verdict{};
  }

  std::string random_answer(Rng& rng) const override {
    return format(E::random_answer(data(), rng));
  }

 private:
  std::optional<Answer> parse(std::string_view text) const {
    if constexpr (ParsesWithProblem<E>) {
      return E::parse(data(), text);
    } else if constexpr (ParsesAlone<E>) {
      return E::parse(text);
    } else {
      return parse_answer<Answer>(text);
    }
  }

  std::string format(const Answer& answer) const {
    if constexpr (requires { E::format(data(), answer); }) {
      return E::format(data(), answer);
    } else if constexpr (requires { E::format(answer); }) {
      return E::format(answer);
    } else {
      return format_answer(answer);
    }
  }

  double passing() const {
    if constexpr (requires { E::passing(data()); }) return E::passing(data());
    return kSolvedReward;
  }
};

// The part that all native environments have in common, compiled once.
class NativeEnvironmentBase : public Environment {
 public:
  NativeEnvironmentBase(const Card& card, Generator generator);

  const Card& card() const final { return card_; }
  Generated generate(int level, std::uint64_t seed, std::uint64_t salt,
                     const GenerationLimits& limits) const final;
  Expected<ProblemPtr> restore(const Json& parameter) const final;
  Json level_parameter(int level, Rng& rng) const final;

 protected:
  Generator generator() const { return generator_; }

 private:
  virtual void write_level(int level, Rng& rng, Json& out) const = 0;
  virtual ProblemPtr draw(int level, Rng& rng) const = 0;  // throws Retry
  virtual Expected<ProblemPtr> read(const Json& parameter) const = 0;

  Generator generator_;
  std::string name_;  // of the card, where it is not the definition's
  Card card_;
};

// A native environment, behind the seam.
template <EnvironmentDefinition E>
class NativeEnvironment final : public NativeEnvironmentBase {
 public:
  explicit NativeEnvironment(Generator generator = Generator::kHardened)
      : NativeEnvironmentBase(E::card, generator) {}

 private:
  using Config = typename E::Config;
  using Data = typename E::Problem;

  Config config(int level, Rng& rng) const {
    if constexpr (requires { E::published_level(level, rng); }) {
      if (generator() == Generator::kPublished) return E::published_level(level, rng);
    }
    return E::at_level(level, rng);
  }

  Data data(int level, Rng& rng) const {
    const Config fixed = config(level, rng);
    if constexpr (requires { E::published(fixed, rng); }) {
      if (generator() == Generator::kPublished) return E::published(fixed, rng);
    }
    return E::generate(fixed, rng);
  }

  void write_level(int level, Rng& rng, Json& out) const override {
    write_fields(out, config(level, rng));
  }

  ProblemPtr draw(int level, Rng& rng) const override {
    return std::make_unique<const NativeProblem<E>>(data(level, rng));
  }

  Expected<ProblemPtr> read(const Json& parameter) const override {
    Data data{};
    RETURN_IF_ERROR(read_fields(parameter, data));
    RETURN_IF_ERROR(E::check(data));
    return std::make_unique<const NativeProblem<E>>(std::move(data));
  }
};

// For REDQUEEN_ENVIRONMENT: enters a native environment before main() starts. Returns true. A name
// that is taken ends the program, which says the name on stderr.
bool register_native(std::unique_ptr<const Environment> environment);

// Enters E, and its published form if RLVE-Gym has it.
template <EnvironmentDefinition E>
bool register_definition() {
  register_native(std::make_unique<const NativeEnvironment<E>>());
  if constexpr (E::card.published)
    register_native(std::make_unique<const NativeEnvironment<E>>(Generator::kPublished));
  return true;
}

// Enters an environment in the registry. Once, in its .cc file.
// NOLINTBEGIN(bugprone-macro-parentheses): a type in angle brackets takes none
#define REDQUEEN_ENVIRONMENT(Definition)                                  \
  static_assert(::redqueen::EnvironmentDefinition<Definition>,            \
                #Definition " does not keep the contract of contract.h"); \
  [[maybe_unused]] static const bool redqueen_registered_##Definition =   \
      ::redqueen::register_definition<Definition>()
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace redqueen
