// Configuration: a TOML file and `key.path=value` overrides, read into plain structs.
//
// A recipe keeps its settings in a struct with defaults and names every field once, in one
// function. That function reads, checks, documents and writes back:
//
//   struct TrainSettings {
//     double learning_rate = 1e-3;
//     int steps = 100;
//   };
//   void declare(Settings& settings, TrainSettings& train) {
//     Section section = settings.section("train", "How the policy learns.");
//     section.field("learning_rate", train.learning_rate, {.help = "Peak rate.", .min = 0});
//     section.field("steps", train.steps, {.help = "Updates of the policy.", .min = 1});
//   }
//
//   Settings settings(config);
//   declare(settings, train);
//   // Every wrong value and unknown key, with file and line:
//   if (auto status = settings.finish(); !status) return …;
//   settings.to_toml();  // the resolved configuration, to be kept with the run
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"

namespace redqueen::run {

// The values of a file and of overrides, before any field is bound. Cheap to copy; copies share
// nothing that changes.
class Config {
 public:
  Config() = default;  // says nothing: every field keeps its default

  // Fails with file, line and reason if the file cannot be read or is not TOML.
  static Expected<Config> load(const std::filesystem::path& path);
  // `source` names the text in messages.
  static Expected<Config> parse(std::string_view toml, std::string_view source);

  // Takes one `key.path=value`. The value is TOML (12, 0.5, true, [1, 2], "text"); what is not TOML
  // is text, so that quotes are seldom needed. Later assignments win over earlier ones and over the
  // file. `flag` is the option of the command line that gave it, for messages; it begins with "--".
  Status set(std::string_view assignment, std::string_view flag = "--set");

  // Lets `defaults` speak where this configuration says nothing.
  void put_below(const Config& defaults);

 private:
  friend class Settings;
  struct Layer;

  std::vector<std::shared_ptr<const Layer>> layers_;  // later ones win
};

// The help and the constraints of a field.
struct FieldOptions {
  std::string_view help = "";  // one sentence or two
  // Bounds of a number, or of every number of a list; both included.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> choices =
      {};  // of a text, or of every text of a list; empty: anything
  // The noun for a choice. With it, an unknown one is answered by "there is no NOUN …", the most
  // similar one and all that there are.
  std::string_view noun = "";
  // The field's name in earlier versions: whoever uses it is told the new one.
  std::string_view former = "";
};

class Settings;

// One [table] of the file. Fields may be bool, int, std::int64_t, std::uint64_t, double,
// std::string and std::vector of int, double and std::string.
class Section {
 public:
  // If the configuration has the field, reads it into `value`; otherwise `value` keeps its default.
  // Wrong types and values outside the bounds are kept for Settings::finish().
  template <typename T>
  void field(std::string_view name, T& value, const FieldOptions& options);

  // A value that is chosen by name.
  template <typename Enum, std::size_t N>
  void choice(std::string_view name, Enum& value, const EnumNames<Enum, N>& names,
              std::string_view help);

  // The table `name` inside this one.
  Section section(std::string_view name, std::string_view help = "");

 private:
  friend class Settings;
  Section(Settings& settings, std::string path) : settings_(settings), path_(std::move(path)) {}

  Settings& settings_;
  std::string path_;
};

// Reads a configuration into structs and remembers what it read.
class Settings {
 public:
  explicit Settings(Config config);

  // `help` becomes the comment above the table.
  Section section(std::string_view name, std::string_view help = "");

  // An error if any value was wrong or any key of the configuration belongs to no field; one line
  // for each.
  Status finish() const;

  // Every field with its value, its help and its bounds as comments: TOML that reads back to the
  // same values.
  std::string to_toml() const;

 private:
  friend class Section;
  struct Entry {
    std::string section;
    std::string name;
    std::string value;  // as TOML
    std::string help;
    std::string former;  // path of its earlier name; empty: it had none
  };
  struct Heading {
    std::string section;
    std::string help;
  };

  template <typename T>
  void read_field(const std::string& section, std::string_view name, T& value,
                  const FieldOptions& options);
  std::vector<std::string> unknown_keys() const;

  Config config_;
  std::vector<Heading> headings_;  // in the order of their first mention
  std::vector<Entry> entries_;
  std::vector<std::string> problems_;
};

template <typename Enum, std::size_t N>
void Section::choice(std::string_view name, Enum& value, const EnumNames<Enum, N>& names,
                     std::string_view help) {
  std::string chosen(names.name(value));
  field(name, chosen, {.help = help, .choices = names.names()});
  value = names.find(chosen).value_or(value);
}

}  // namespace redqueen::run
