// Has the environment policy write variations of seed tasks, and judges them.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/genenv/genenv_settings.h"
#include "redqueen/recipes/genenv/measured_success.h"
#include "redqueen/recipes/genenv/task_builder.h"
#include "redqueen/recipes/genenv/task_prompts.h"
#include "redqueen/recipes/step_log.h"

namespace redqueen::genenv {

// One response of the environment policy.
struct Generation {
  Completion completion;
  bool explored = false;  // its prompt named a level
  Judged<Task> task = refuse(Refusal::kNoObject);
  Tally tally;  // of the agent at this task
  // The success that rewards it; NaN where there is none.
  double success = std::numeric_limits<double>::quiet_NaN();
  double reward = std::numeric_limits<double>::quiet_NaN();
  double weight = 0;  // in the regression; 0: nothing is learnt from it

  [[nodiscard]] bool valid() const { return task.has_value(); }
};

// The variations of one seed: a batch of tasks in the words of the paper.
struct TaskBatch {
  std::string prompt;  // without a named level: what all of them are trained behind
  std::vector<Token> prompt_tokens;
  std::vector<Generation> generations;

  // p̂ over all valid variations and their attempts.
  [[nodiscard]] Tally tally() const;
};

class TaskWriter {
 public:
  TaskWriter(const GenEnvSettings& genenv, const SampleParameters& sampling, TaskPrompts prompts,
             PromptFormat format, const TaskBuilder& builder, Policy& policy);

  // `variations` of each seed. Addresses have the purposes `purpose` and `purpose`/…. The log is
  // told of tokens and of missing responses. Equal for any number of threads.
  Expected<std::vector<TaskBatch>> write(const std::vector<Task>& seeds, int variations,
                                         const MeasuredSuccess& success,
                                         const std::function<bool(std::uint64_t)>& known,
                                         const StepAddress& address, const std::string& purpose,
                                         int threads, StepLog& log) const;

 private:
  // The generation to which a response of a request belongs.
  struct Place {
    std::size_t batch = 0;
    std::size_t generation = 0;
  };
  struct Asked {
    std::vector<SampleRequest> requests;
    std::vector<std::vector<Place>> places;  // by request and response
    std::vector<std::size_t> plain;          // by seed: its request that names no level
  };

  Expected<Asked> ask(const std::vector<Task>& seeds, int variations,
                      const MeasuredSuccess& success, const StepAddress& address,
                      const std::string& purpose, std::vector<TaskBatch>& batches) const;
  void judge(std::vector<TaskBatch>& batches, const std::function<bool(std::uint64_t)>& known,
             const StepAddress& address, const std::string& purpose, int threads) const;

  const GenEnvSettings& genenv_;
  SampleParameters sampling_;
  TaskPrompts prompts_;
  PromptFormat format_;
  const TaskBuilder& builder_;
  Policy& policy_;
};

}  // namespace redqueen::genenv
