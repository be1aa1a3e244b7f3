// redqueen: one sub-command a file. Exit code 0: done; 1: the work failed; 2: wrong usage; 130:
// Ctrl-C ended it before it was done, and what was done is saved.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/engine/resources.h"
#include "redqueen/run/report/html.h"

namespace redqueen {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kInterrupted = 130;  // as shells say of SIGINT

int say_error(const Error& error) {
  fmt::print(stderr, "redqueen: {}\n", run::readable_utf8(error.message));
  return error.kind == ErrorKind::kUsage ? kWrongUsage : kFailed;
}

// `redqueen help [COMMAND…]`: the help of a command, or of all of them.
void add_help(CommandLine& line) {
  Command help = line.root().add_subcommand("help", "Explain a command, or all of them");
  auto words = std::make_shared<std::vector<std::string>>();
  help.add_option("command", *words, "The command to explain, e.g. gym score");
  help.set_work(words, [&line](const std::vector<std::string>& command) -> Status {
    ASSIGN_OR_RETURN(const std::string text, line.help(command));
    fmt::print("{}", text);
    return {};
  });
}

int run_command(int argc, char** argv) {
  CommandLine line(
      "Verifiable environments and the language model that trains on them evolve together.",
      "redqueen " REDQUEEN_VERSION);
  Command root = line.root();
  root.require_subcommand();
  std::string configs;
  root.add_option("--configs", configs,
                  "Folder whose files stand before those of the same name that come with the "
                  "program (default: $REDQUEEN_CONFIGS)");
#define REDQUEEN_ADD_COMMAND(name, program) add_##name(root);
  REDQUEEN_COMMANDS(REDQUEEN_ADD_COMMAND)
#undef REDQUEEN_ADD_COMMAND
  add_help(line);
  const auto work = line.parse(argc, argv);
  if (!work) return say_error(work.error());
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return say_error({ErrorKind::kFailure, "/proc/self/exe: " + error.message()});
  const auto resources = Resources::locate(program, configs);
  if (!resources) return say_error(resources.error());
  const Status status = (*work)(*resources);
  if (!status) return say_error(status.error());
  return interrupt_requested() ? kInterrupted : 0;
}

// Exit code 0 says that all output arrived.
int finish(int code) {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush();
  if (written || code != 0) return code;
  return say_error({ErrorKind::kFailure, "standard output cannot be written. Is the disk full?"});
}

}  // namespace
}  // namespace redqueen

int main(int argc, char** argv) {
  try {
    return redqueen::finish(redqueen::run_command(argc, argv));
  } catch (const std::system_error& error) {
    return redqueen::say_error({redqueen::ErrorKind::kFailure, error.what()});
  } catch (const std::exception& error) {
    return redqueen::say_error(
        {redqueen::ErrorKind::kFailure,
         fmt::format("this is a fault of redqueen itself: {}", error.what())});
  }
}
