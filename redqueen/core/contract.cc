#include "redqueen/core/contract.h"

#include <chrono>
#include <exception>
#include <optional>

#include "redqueen/base/json.h"
#include "redqueen/core/registry.h"

namespace redqueen {
namespace {

tl::unexpected<GenerationFailure> fail(GenerationFault fault, std::string message) {
  return tl::make_unexpected(GenerationFailure{fault, std::move(message)});
}

// The card of the published form: its problems are RLVE-Gym's, so nothing that explains how they
// were selected holds, and simple rules may solve any share of them.
Card published_card(Card card, std::string_view name) {
  card.name = name;
  card.differences = "";
  card.slow_reason = SlowReason::kNone;
  card.small_answer_space = "Problems are drawn as RLVE-Gym draws them, the simple ones too.";
  card.guess_until_level = card.max_level;
  return card;
}

}  // namespace

NativeEnvironmentBase::NativeEnvironmentBase(const Card& card, Generator generator)
    : generator_(generator),
      name_(generator == Generator::kPublished ? published_name(card.name) : std::string()),
      card_(generator == Generator::kPublished ? published_card(card, name_) : card) {}

Json NativeProblemRoot::parameter() const {
  Json json;
  write_parameter(json);
  return json;
}

Json NativeEnvironmentBase::level_parameter(int level, Rng& rng) const {
  Json json;
  write_level(level, rng, json);
  return json;
}

Generated NativeEnvironmentBase::generate(int level, std::uint64_t seed, std::uint64_t salt,
                                          const GenerationLimits& limits) const {
  if (level < 0 || level > card().max_level) {
    return fail(GenerationFault::kLevel,
                fmt::format("level {} is not in 0..{}", level, card().max_level));
  }
  RandomAddress where = address(level, seed, salt).random(0);
  // Most problems come of the first attempt, and small ones in the time of a few looks at a clock:
  // it runs from the first draw that is refused.
  std::optional<std::chrono::steady_clock::time_point> start;
  for (int attempt = 0; attempt < limits.attempts; ++attempt) {
    where.salt = static_cast<std::uint64_t>(attempt);
    Rng rng(where);
    rng.set_budget(limits.draws_per_attempt / 4);
    try {
      return draw(level, rng);
    } catch (const Retry&) {
      const auto now = std::chrono::steady_clock::now();
      if (!start) start = now;
      const std::chrono::duration<double> spent = now - *start;
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

Expected<ProblemPtr> NativeEnvironmentBase::restore(const Json& parameter) const {
  auto problem = read(parameter);
  if (!problem) return failure("{}: parameter {}", card().name, problem.error().message);
  return problem;
}

}  // namespace redqueen
