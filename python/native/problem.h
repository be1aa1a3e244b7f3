// Environments and problems as Python holds them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/suites/suite.h"

namespace redqueen::python {

// An environment that can be asked for problems. `owner` keeps alive what the environment stands
// on, where that is not the engine.
struct Env {
  const Environment* environment = nullptr;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const PromptFormat> format;
};

// One problem, with how it is asked and read.
struct HeldProblem {
  // Where it was made; a problem that was restored from its parameter has no such place.
  struct Place {
    int level = 0;
    std::uint64_t seed = 0;
    std::uint64_t salt = 0;
  };

  Env from;
  std::shared_ptr<const Problem> problem;
  std::optional<Place> place;

  std::optional<ProblemAddress> address() const;
  std::string prompt() const { return from.format->render(problem->prompt()); }
};

// Scoring or making it may take long, or wants the GIL itself: the caller lets go of that.
inline bool is_slow(const HeldProblem& held) { return held.problem->batch_worker() != nullptr; }

// The environments of a suite, asked in this format. They share what the suite owns.
std::vector<Env> envs_of(const Suite& suite, std::shared_ptr<const PromptFormat> format);

// A prompt format by its name or template, read strictly or tolerantly: a str and a bool.
std::shared_ptr<const PromptFormat> format_of(nanobind::handle prompt, nanobind::handle tolerant);
const std::shared_ptr<const PromptFormat>& plain_format();

// Of a split: "train", "test", or the number of one's own. The test split is that of evaluation.
std::uint64_t salt_of(nanobind::handle split);

// For pickles: an environment as its name, the file that it came from or "", and how it is asked
// (the text, whether it marks answers by a box, whether they are read tolerantly); and the same
// environment again.
using Asked = std::tuple<std::string, std::string, std::string, bool, bool>;
Asked asked_of(const Env& env);
Env env_of(const std::string& name, const std::string& file, const std::string& prompt,
           bool is_boxed, bool is_tolerant);

// A problem that can be made.
struct Located {
  Env env;
  HeldProblem::Place place;
};

// Resolves an address to its problem; a usage error if the environment is not known, or has another
// version by now.
Located locate(std::string_view address, std::shared_ptr<const PromptFormat> format);

// A usage error where its environment has no such level.
void check_level(const Located& located);

// Raises an Error where the problem cannot be made.
HeldProblem make_problem(const Located& located);

// Raises the TypeError of an item that is neither a problem nor an address.
[[noreturn]] void refuse_as_problem(nanobind::handle item, std::string_view function,
                                    std::size_t place);

// The Episode, as Python has it.
nanobind::object start_episode(const HeldProblem& problem);

// Verdicts of many problems, in their order.
struct Verdicts {
  std::vector<Verdict> list;
};

}  // namespace redqueen::python
