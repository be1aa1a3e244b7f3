#include "redqueen/cli/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "redqueen/base/text.h"

namespace redqueen {
namespace {

constexpr const char* kProgram = "redqueen";

std::vector<CLI::App*> subcommands(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

CLI::App* find(CLI::App& app, std::string_view name) {
  for (CLI::App* subcommand : subcommands(app)) {
    if (subcommand->get_name() == name) return subcommand;
  }
  return nullptr;
}

// CLI11 says of a misspelt command only that one is required: this names it, and the nearest.
Status check_command_words(CLI::App& app, int argc, char** argv) {
  CLI::App* command = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto known = subcommands(*command);
    if (known.empty()) return {};
    const std::string_view word = argv[i];
    command = find(*command, word);
    if (command == nullptr) {
      std::vector<std::string_view> names;
      for (const CLI::App* one : known) names.push_back(one->get_name());
      return usage_error("there is no command \"{}\"{}; `redqueen help` lists all", word,
                         did_you_mean(word, names));
    }
  }
  return {};
}

// The command that the words name, as far as they name one.
CLI::App* command_command_of(CLI::App& app, int argc, char** argv) {
  CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    if (CLI::App* next = find(*command, argv[i])) command = next;
  }
  return command;
}

std::string path_of(const CLI::App* command) {
  if (command->get_parent() == nullptr) return kProgram;
  return path_of(command->get_parent()) + " " + command->get_name();
}

// A sentence on each flag that the command does not have.
std::string unknown_flags(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> known{"--help"};
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::string text;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string_view flag = word.substr(0, word.find('='));
    if (!flag.starts_with("--") || flag == "--" || std::ranges::count(names, flag) > 0) continue;
    text += fmt::format("{}there is no option {}{}", text.empty() ? "" : "; ", flag,
                        did_you_mean(flag, names));
  }
  return text;
}

// NaN for what is no number.
double number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : std::numeric_limits<double>::quiet_NaN();
}

// The type of a bound variable's values: int for an int, an optional int and a vector of int.
template <typename Value>
struct NumberIn {
  using Type = Value;
};
template <typename Value>
struct NumberIn<std::optional<Value>> : NumberIn<Value> {};
template <typename Value>
struct NumberIn<std::vector<Value>> : NumberIn<Value> {};
template <typename Value>
using NumberOf = typename NumberIn<Value>::Type;

// What is wrong with a text that is to be such a number, or nothing.
template <typename Number>
std::string complaint(const std::string& text) {
  if (std::isnan(number(text))) return fmt::format("{} is not a number", text);
  if (std::is_unsigned_v<Number> && text.starts_with('-'))
    return fmt::format("{} is not a number from 0 on", text);
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    return fmt::format("{} is too {}", text, text.starts_with('-') ? "small" : "large");
  }
  return stop == end ? std::string() : fmt::format("{} is not a whole number", text);
}

// A command with a positional argument of this name takes whatever follows it, flags included:
// such a one only says why its work is not in this program.
constexpr const char* kAnyWords = "any_words";

void let_any_words_follow(CLI::App& app) {
  for (CLI::App* command : subcommands(app)) {
    if (command->get_option_no_throw(kAnyWords) != nullptr) command->allow_extras();
    let_any_words_follow(*command);
  }
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option Option::hidden() {
  option_->group("");
  return *this;
}

Option Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option Option::comma_separated() {
  option_->delimiter(',');
  return *this;
}

Option Option::one_value_each() {
  option_->take_all()->allow_extra_args(false);
  return *this;
}

Option Option::positive() {
  return check("", [](const std::string& text) {
    return number(text) > 0 ? std::string() : fmt::format("{} is not a number above 0", text);
  });
}

Option Option::non_negative() {
  return check("", [](const std::string& text) {
    return number(text) >= 0 ? std::string() : fmt::format("{} is not a number from 0 on", text);
  });
}

Option Option::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::range(std::uint64_t least, std::uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::choices(const std::vector<std::string>& names) {
  option_->check(CLI::IsMember(names));
  return *this;
}

Option Option::check(std::string type, std::function<std::string(const std::string&)> check) {
  option_->check(CLI::Validator(
      [check = std::move(check)](std::string& text) { return check(text); }, std::move(type)));
  return *this;
}

Command Command::add_subcommand(std::string name, std::string help) {
  return {app_->add_subcommand(std::move(name), std::move(help)), work_};
}

void Command::require_subcommand() { app_->require_subcommand(1); }
template <typename Value>
Option Command::add_option(const std::string& names, Value& value, const std::string& help) {
  Option option(app_->add_option(names, value, help));
  // CLI11 says only that it could not convert a text, and takes −1 for the largest number of all.
  if constexpr (std::is_arithmetic_v<NumberOf<Value>>) option.check("", complaint<NumberOf<Value>>);
  return option;
}

template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, std::int64_t&, const std::string&);
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

void Command::set_work(Work work) {
  app_->callback([chosen = work_, work = std::move(work)] { *chosen = work; });
}

CommandLine::CommandLine(const std::string& description, const std::string& version)
    : app_(std::make_unique<CLI::App>(description, kProgram)) {
  app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return {app_.get(), &work_}; }

Expected<Work> CommandLine::parse(int argc, char** argv) {
  RETURN_IF_ERROR(check_command_words(*app_, argc, argv));
  let_any_words_follow(*app_);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    app_->exit(request, text, text);
    return [text = text.str()](const Resources&) -> Status {
      fmt::print("{}", text);
      return {};
    };
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = command_command_of(*app_, argc, argv);
    std::string what = error.what();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
      if (std::string flags = unknown_flags(*command, argc, argv); !flags.empty())
        what = std::move(flags);
    }
    return usage_error("{}\nSee `{} --help`.", what, path_of(command));
  }
  return work_;
}

Expected<std::string> CommandLine::help(const std::vector<std::string>& words) const {
  CLI::App* command = app_.get();
  std::string name = kProgram;
  for (const std::string& word : words) {
    command = find(*command, word);
    if (command == nullptr)
      return usage_error("there is no command \"{}\"; `redqueen help` lists all", word);
    name += " " + word;
  }
  const auto mode = words.empty() ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal;
  return app_->get_formatter()->make_help(command, name, mode);
}

}  // namespace redqueen
