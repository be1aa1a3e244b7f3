// The command line as its sub-commands see it: names, options bound to variables, help texts, and
// the function that does the work. Only command.cc includes CLI11, whose templates cost seconds in
// every file that sees them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {
class Resources;
}

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace redqueen {

// The work of a command whose command line was understood, with the files that come with the
// program.
using Work = std::function<Status(const Resources& resources)>;

// An option or a flag of a command; a handle that is copied freely and lives as long as its
// CommandLine. Every method returns the option, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  Option excludes(Option other);  // wrong usage where both are given
  Option hidden();                // not named by --help
  Option show_default();          // --help names the variable's present value
  Option comma_separated();       // of a vector: "0,5" are two values
  Option one_value_each();        // of a vector: one value after each mention, all of them kept

  // Constraints on the value of an option; any other value is wrong usage.
  Option positive();
  Option non_negative();
  Option range(int least, int most);
  Option range(std::uint64_t least, std::uint64_t most);
  Option choices(const std::vector<std::string>& names);
  // `check` gives the complaint about a text, or nothing; `type` stands for the value in --help.
  Option check(std::string type, std::function<std::string(const std::string&)> check);

 private:
  CLI::Option* option_;
};

// A command or sub-command; a handle like Option. An option's names are as in "name,--environment":
// a positional argument, which may also be given by a flag.
class Command {
 public:
  Command(CLI::App* app, Work* work) : app_(app), work_(work) {}

  Command add_subcommand(std::string name, std::string help);
  void require_subcommand();

  // Binds an option to a variable, which keeps its value where the option is not given. Value: int,
  // std::int64_t, std::uint64_t, double, std::string, std::optional of int, std::uint64_t or
  // double, or a vector of int or std::string. A text that is no such number is wrong usage.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& help = {});
  Option add_flag(const std::string& names, bool& value, const std::string& help);

  // Sets what the command does: `function(options)`, or `function(options, resources)`, where
  // `options` holds the variables that its options are bound to.
  template <typename Options, typename Function>
  void set_work(std::shared_ptr<Options> options, Function function) {
    set_work([options, function](const Resources& resources) {
      if constexpr (std::is_invocable_v<Function, Options&, const Resources&>) {
        return function(*options, resources);
      } else {
        return function(*options);
      }
    });
  }
  void set_work(Work work);

 private:
  CLI::App* app_;
  Work* work_;
};

// The program's command line: the tree of commands below root(), and its parser.
class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root();

  // The work of the command that the words name; --help and --version are work that prints. A
  // usage error says what is wrong with the words, and proposes the nearest command for one that
  // there is not.
  Expected<Work> parse(int argc, char** argv);

  // The help of the command that `words` name, e.g. {"gym", "score"}; of all commands for no words.
  Expected<std::string> help(const std::vector<std::string>& words) const;

 private:
  std::unique_ptr<CLI::App> app_;
  Work work_;
};

}  // namespace redqueen
