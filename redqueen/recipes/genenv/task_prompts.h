// Writes the environment policy's prompt: a seed task, and the agent's success at tasks of its
// kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/engine/resources.h"
#include "redqueen/recipes/genenv/genenv_settings.h"
#include "redqueen/recipes/genenv/measured_success.h"
#include "redqueen/recipes/genenv/task_builder.h"
#include "redqueen/synth/admission/prompt_template.h"
#include "redqueen/text/text_pair.h"

namespace redqueen::genenv {

// The texts around a seed. environment.txt and explore.txt may have the places
//   {{environment}} {{level}}   of the seed
//   {{description}}             the seed as JSON
//   {{statement}}               what the agent was asked
//   {{highest}}                 the highest level that may be named
//   {{percent}} {{tenths}}      measured success by level
//   {{environments}}            all names, with commas between
//   {{wanted}}                  the level to write; of explore.txt alone
class TaskPrompts {
 public:
  static Expected<TaskPrompts> load(const GenEnvSettings& genenv, const Resources& resources);

  // With a wanted level, the text of explore.txt.
  [[nodiscard]] Expected<std::string> write(const Task& seed, const TaskBuilder& builder,
                                            const MeasuredSuccess& success,
                                            std::optional<int> wanted = std::nullopt) const;

 private:
  TaskPrompts(synth::PromptTemplate environment, synth::PromptTemplate explore)
      : environment_(std::move(environment)), explore_(std::move(explore)) {}

  synth::PromptTemplate environment_;
  synth::PromptTemplate explore_;
};

struct TaskCorpusOptions {
  int pairs = 0;
  std::uint64_t first = 0;  // index of the first: corpora of disjoint ranges share no draw
  double exploring = 0.5;   // share of pairs whose prompt names the level
};

// Prompts with random measured success, and descriptions of a level that is drawn uniformly: they
// teach the form, and nothing about what suits the agent. The same pairs for the same arguments.
Expected<std::vector<TextPair>> task_corpus(const TaskPrompts& prompts, const TaskBuilder& builder,
                                            const PromptFormat& format,
                                            const TaskCorpusOptions& options);

}  // namespace redqueen::genenv
