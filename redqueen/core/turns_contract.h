// The environment contract (contract.h) of environments that take turns: their episodes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/core/contract.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/episode.h"

namespace redqueen {

// An episode of a native environment that takes turns.
template <MultiTurnDefinition E>
class NativeEpisode final : public Episode {
 public:
  NativeEpisode(const typename E::Problem& problem, const EpisodeOptions& options)
      : problem_(problem), max_turn_bytes_(options.max_response_bytes), state_(E::begin(problem)) {}

  Observation begin() override {
    Observation seen;
    if constexpr (requires { E::observe(problem_, state_); }) {
      seen = E::observe(problem_, state_);
    } else {
      seen.messages.push_back({.role = "user", .content = E::prompt(problem_)});
    }
    if constexpr (requires { E::tools(problem_); }) {
      if (seen.tools.empty()) seen.tools = E::tools(problem_);
    }
    return seen;
  }

  Observation step(const Action& action) override {
    if (end_.done()) return end_;
    ++turns_;
    const bool too_long = size_in_bytes(action) > max_turn_bytes_;
    Observation seen = E::step(problem_, state_, too_long ? Action{} : action);
    if (!seen.terminated) seen.truncated = seen.truncated || turns_ >= E::max_turns(problem_);
    end_.terminated = seen.terminated;
    end_.truncated = seen.truncated;
    if (seen.done()) seen.reward = verdict().reward - paid_;
    paid_ += seen.reward;
    return seen;
  }

  Verdict verdict() const override {
    return turns_ == 0 ? Verdict{} : E::verdict(problem_, state_);
  }

  Json state() const override {
    Json json;
    write_fields(json, state_);
    return json;
  }

 private:
  const typename E::Problem& problem_;
  std::size_t max_turn_bytes_;
  typename E::State state_;
  int turns_ = 0;
  double paid_ = 0.0;  // the rewards so far
  Observation end_;    // what follows the end: nothing
};

// Its answer is a transcript, so that scoring needs no session: score() plays it in a fresh
// episode.
template <MultiTurnDefinition E>
class NativeProblem<E> final : public NativeProblemBase<E> {
 public:
  using NativeProblemBase<E>::NativeProblemBase;
  using NativeProblemBase<E>::data;

  std::string reference() const override { return transcript(E::solve_turns(data())); }
  Verdict score(std::string_view text) const override { return score_transcript(*this, text); }
  std::string random_answer(Rng& rng) const override {
    return transcript(E::random_turns(data(), rng));
  }

  std::unique_ptr<Episode> start(const EpisodeOptions& options) const override {
    return std::make_unique<NativeEpisode<E>>(data(), options);
  }
  std::vector<Action> reference_actions(const PromptFormat&) const override {
    return E::solve_turns(data());
  }
  int max_turns() const override { return E::max_turns(data()); }
};

}  // namespace redqueen
