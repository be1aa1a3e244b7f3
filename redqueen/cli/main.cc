// redqueen: one binary, one sub-command a file. Exit code 0: done; 1: the work failed; 2: wrong
// usage.

#include <cstdio>
#include <exception>

#include "redqueen/cli/commands.h"
#include "redqueen/core/registry.h"
#include "redqueen/core/text.h"
#include "redqueen/recipes/azr/heldout.h"
#include "redqueen/recipes/evoenv/written_problems.h"

namespace redqueen {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int report(const Error& error) {
  fmt::print(stderr, "redqueen: {}\n", error.message);
  return error.kind == ErrorKind::kUsage ? kWrongUsage : kFailed;
}

// `redqueen help [COMMAND…]`: the help of a command, or of all of them.
void add_help(CLI::App& app, Action& action) {
  CLI::App* help = app.add_subcommand("help", "Explain a command, or all of them");
  auto words = std::make_shared<std::vector<std::string>>();
  help->add_option("command", *words, "The command to explain, e.g. gym score");
  help->callback([&app, &action, words] {
    action = [&app, words]() -> Status {
      CLI::App* command = &app;
      for (const std::string& word : *words) {
        const auto found =
            command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
        if (found.empty())
          return usage_error("there is no command \"{}\"; `redqueen help` lists all", word);
        command = found[0];
      }
      const auto mode = words->empty() ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal;
      std::string name = "redqueen";
      for (const std::string& word : *words) name += " " + word;
      fmt::print("{}", app.get_formatter()->make_help(command, name, mode));
      return {};
    };
  });
}

// CLI11 says of a misspelt command only that one is required: name it, and the nearest.
Status check_command_words(CLI::App& app, int argc, char** argv) {
  CLI::App* command = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto subcommands = command->get_subcommands([](const CLI::App*) { return true; });
    if (subcommands.empty()) return {};
    const std::string_view word = argv[i];
    std::vector<std::string> names;
    command = nullptr;
    for (CLI::App* subcommand : subcommands) {
      names.push_back(subcommand->get_name());
      if (subcommand->get_name() == word) command = subcommand;
    }
    if (command == nullptr) {
      const std::vector<std::string_view> views(names.begin(), names.end());
      return usage_error("there is no command \"{}\"{}; `redqueen help` lists all", word,
                         did_you_mean(word, views));
    }
  }
  return {};
}

int run(int argc, char** argv) {
  const auto sandbox = process_sandbox();
  register_code_environments(Registry::instance(), sandbox, random_program_tasks(sandbox));
  Registry::instance().add(written_problems(sandbox));
  CLI::App app{
      "Verifiable environments and the language model that trains on them evolve together.",
      "redqueen"};
  app.set_version_flag("--version", "redqueen " REDQUEEN_VERSION);
  app.require_subcommand(1);
  Action action;
  add_train(app, action);
  add_eval(app, action);
  add_gym(app, action);
  add_policy(app, action);
  add_report(app, action);
  add_azr(app, action);
  add_compare(app, action);
  add_sandbox(app, action);
  add_synth(app, action);
  add_bench(app, action);
  add_doctor(app, action);
  add_help(app, action);
  if (const Status known = check_command_words(app, argc, argv); !known)
    return report(known.error());
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "redqueen: {}\nSee `redqueen help`.\n", error.what());
    return kWrongUsage;
  }
  const Status status = action();
  return status ? 0 : report(status.error());
}

}  // namespace
}  // namespace redqueen

int main(int argc, char** argv) {
  try {
    return redqueen::run(argc, argv);
  } catch (const std::exception& error) {
    return redqueen::report({redqueen::ErrorKind::kFailure,
                             fmt::format("this is a fault of redqueen itself: {}", error.what())});
  }
}
