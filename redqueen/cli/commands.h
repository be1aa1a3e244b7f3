// The sub-commands of the one binary. Each lives in the file of its name and adds itself to the application.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "redqueen/core/error.h"

namespace redqueen {

// What to do once the command line is understood. A sub-command's callback sets it; main runs it.
using Action = std::function<Status()>;

void add_azr(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_gym(CLI::App& app, Action& action);
void add_gym_audit(CLI::App& gym, Action& action);
void add_policy(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_sandbox(CLI::App& app, Action& action);
void add_synth(CLI::App& app, Action& action);
void add_synth_grow(CLI::App& synth, Action& action);
void add_synth_pool(CLI::App& synth, Action& action);
void add_train(CLI::App& app, Action& action);

// A sub-command whose options live in a struct: `function(options)` is its work.
template <typename Options, typename Function>
void set_action(CLI::App* command, Action& action, std::shared_ptr<Options> options,
                Function function) {
  command->callback([&action, options, function] {
    action = [options, function] { return function(*options); };
  });
}

}  // namespace redqueen
