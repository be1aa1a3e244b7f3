#include "redqueen/run/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <sstream>
#include <type_traits>

#include "redqueen/base/text.h"
#include "redqueen/base/text_file.h"

namespace redqueen::run {

// The file, or one assignment. Never copied: toml++ forgets where a copied value stood.
struct Config::Layer {
  toml::table root;
};

namespace {

std::string joined(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

// Text as a TOML basic string.
std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

// The part of toml++ that throws, as a value.
Expected<toml::table> parse_toml(std::string_view text, std::string_view source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    return usage_error("{}:{}: {}", source, error.source().begin.line, error.description());
  }
}

// Where a value stands: "file.toml:12", or the flag that gave it.
std::string place_of(const toml::node& node) {
  const toml::source_region& source = node.source();
  if (!source.path) return "--set";
  if (source.path->starts_with("--")) return *source.path;
  return fmt::format("{}:{}", *source.path, source.begin.line);
}

std::string text_of(const toml::node& node) {
  std::string text;
  node.visit([&](const auto& value) {
    std::ostringstream stream;
    stream << value;
    text = std::move(stream).str();
  });
  constexpr std::size_t kLongest = 60;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

// ---- One type of field: its name for messages, how it is read, how it is written.

template <typename T>
struct IsList : std::false_type {};
template <typename T>
struct IsList<std::vector<T>> : std::true_type {};

template <typename T>
std::string type_name() {
  if constexpr (std::same_as<T, bool>)
    return "true or false";
  else if constexpr (std::integral<T>)
    return "a whole number";
  else if constexpr (std::floating_point<T>)
    return "a number";
  else if constexpr (std::same_as<T, std::string>)
    return "text";
  else if constexpr (std::same_as<T, std::vector<std::string>>)
    return "a list of texts";
  else if constexpr (std::same_as<T, std::vector<int>>)
    return "a list of whole numbers";
  else
    return "a list of numbers";
}

template <typename T>
bool allowed(const T& value, const FieldOptions& options) {
  if constexpr (std::same_as<T, bool>) {
    return true;
  } else if constexpr (std::same_as<T, std::string>) {
    return options.choices.empty() || std::ranges::count(options.choices, value) > 0;
  } else {
    const auto number = static_cast<double>(value);
    return number >= options.min && number <= options.max;  // false for NaN
  }
}

// The value of a node, if it has the type and is allowed.
template <typename T>
std::optional<T> read(const toml::node& node, const FieldOptions& options) {
  std::optional<T> value;
  if constexpr (std::same_as<T, double>) {
    if (node.is_number()) value = node.value<double>();
  } else if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    value = node.value_exact<T>();
  } else {
    const std::optional<std::int64_t> wide = node.value_exact<std::int64_t>();
    if (wide && std::in_range<T>(*wide)) value = static_cast<T>(*wide);
  }
  if (value && !allowed(*value, options)) value.reset();
  return value;
}

template <typename T>
  requires IsList<T>::value
std::optional<T> read(const toml::node& node, const FieldOptions& options) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  T list;
  for (const toml::node& element : *array) {
    auto item = read<typename T::value_type>(element, options);
    if (!item) return std::nullopt;
    list.push_back(std::move(*item));
  }
  return list;
}

template <typename T>
std::string write(const T& value) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::same_as<T, std::string>) {
    return toml_string(value);
  } else if constexpr (std::floating_point<T>) {
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::string text = fmt::format("{}", value);  // the shortest that reads back
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  } else if constexpr (IsList<T>::value) {
    std::string text = "[";
    for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + write(value[i]);
    return text + "]";
  } else {
    return fmt::format("{}", value);
  }
}

// "there is no recipe "x" (did you mean …?); there are a, b": for a text that is none of the
// choices.
template <typename T>
std::optional<std::string> unknown_choice(const toml::node& node, const FieldOptions& options) {
  if constexpr (std::same_as<T, std::string>) {
    const auto name = node.value_exact<std::string>();
    if (!name || options.noun.empty()) return std::nullopt;
    return fmt::format("there is no {} \"{}\"{}; there are {}", options.noun, *name,
                       did_you_mean(*name, options.choices), fmt::join(options.choices, ", "));
  }
  return std::nullopt;
}

// "between 0 and 1", "at least 1", "one of: a, b", or "".
std::string bounds_text(const FieldOptions& options) {
  const bool low = std::isfinite(options.min);
  const bool high = std::isfinite(options.max);
  if (!options.choices.empty()) return fmt::format("one of: {}", fmt::join(options.choices, ", "));
  if (low && high) return fmt::format("between {} and {}", options.min, options.max);
  if (low) return fmt::format("at least {}", options.min);
  if (high) return fmt::format("at most {}", options.max);
  return "";
}

void collect_keys(const toml::table& table, const std::string& prefix,
                  std::vector<std::pair<std::string, const toml::node*>>& keys) {
  for (const auto& [key, value] : table) {
    const bool dotted = key.str().find('.') != std::string_view::npos;
    const std::string path =
        joined(prefix, dotted ? toml_string(key.str()) : std::string(key.str()));
    if (const toml::table* inner = value.as_table(); inner != nullptr && !inner->empty()) {
      collect_keys(*inner, path, keys);
    } else {
      keys.emplace_back(path, &value);
    }
  }
}

// " (did you mean …?)": the field of the same name in another section, or the one spelt most alike.
std::string hint_for(std::string_view path, const std::vector<std::string>& known) {
  const std::string name = "." + std::string(path.substr(path.rfind('.') + 1));
  for (const std::string& candidate : known) {
    if (candidate.ends_with(name)) return fmt::format(" (did you mean {}?)", candidate);
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return did_you_mean(path, candidates);
}

}  // namespace

Expected<Config> Config::parse(std::string_view toml, std::string_view source) {
  ASSIGN_OR_RETURN(auto root, parse_toml(toml, source));
  Config config;
  config.layers_.push_back(std::make_shared<const Layer>(Layer{std::move(root)}));
  return config;
}

Expected<Config> Config::load(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(path, ErrorKind::kUsage));
  return parse(text, path.string());
}

Status Config::set(std::string_view assignment, std::string_view flag) {
  const std::size_t equals = assignment.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return usage_error("{} {}: expected key.path=value", flag, assignment);
  }
  const std::string key(assignment.substr(0, equals));
  const std::string_view value = assignment.substr(equals + 1);
  const bool one_line = value.find_first_of("\r\n") == std::string_view::npos;
  Expected<toml::table> parsed = failure("");
  if (one_line) parsed = parse_toml(fmt::format("{} = {}", key, value), flag);
  if (!parsed) parsed = parse_toml(fmt::format("{} = {}", key, toml_string(value)), flag);
  if (!parsed) {
    return usage_error("{} {}: {:?} is not a key of the form section.name", flag, assignment, key);
  }
  layers_.push_back(std::make_shared<const Layer>(Layer{std::move(*parsed)}));
  return {};
}

void Config::put_below(const Config& defaults) {
  layers_.insert(layers_.begin(), defaults.layers_.begin(), defaults.layers_.end());
}

template <typename T>
void Section::field(std::string_view name, T& value, const FieldOptions& options) {
  settings_.read_field(path_, name, value, options);
}

Section Section::section(std::string_view name, std::string_view help) {
  return settings_.section(joined(path_, name), help);
}

Settings::Settings(Config config) : config_(std::move(config)) {}

Section Settings::section(std::string_view name, std::string_view help) {
  const auto same = [&](const Heading& heading) { return heading.section == name; };
  if (std::ranges::none_of(headings_, same)) {
    // TOML puts keys outside all tables first.
    const auto place = name.empty() ? headings_.begin() : headings_.end();
    headings_.insert(place, {std::string(name), std::string(help)});
  }
  return {*this, std::string(name)};
}

template <typename T>
void Settings::read_field(const std::string& section, std::string_view name, T& value,
                          const FieldOptions& options) {
  const std::string bounds = bounds_text(options);
  const toml::node* node = nullptr;
  for (const auto& layer : config_.layers_) {
    if (const toml::node* found = layer->root.at_path(joined(section, name)).node()) node = found;
  }
  if (node != nullptr) {
    if (std::optional<T> found = read<T>(*node, options)) {
      value = std::move(*found);
    } else if (const auto unknown = unknown_choice<T>(*node, options)) {
      problems_.push_back(fmt::format("{}: {}", place_of(*node), *unknown));
    } else {
      problems_.push_back(fmt::format("{}: {} is {}, expected {}{}{}", place_of(*node),
                                      joined(section, name), text_of(*node), type_name<T>(),
                                      bounds.empty() ? "" : ", ", bounds));
    }
  }
  std::string help(options.help);
  if (!bounds.empty()) help += fmt::format("{}({})", help.empty() ? "" : " ", bounds);
  entries_.push_back({section, std::string(name), write(value), std::move(help),
                      options.former.empty() ? "" : joined(section, options.former)});
}

std::vector<std::string> Settings::unknown_keys() const {
  std::vector<std::string> known;
  known.reserve(entries_.size());
  for (const Entry& entry : entries_) known.push_back(joined(entry.section, entry.name));
  std::vector<std::pair<std::string, const toml::node*>> keys;
  for (const auto& layer : config_.layers_) collect_keys(layer->root, "", keys);
  std::vector<std::string> unknown;
  for (const auto& [path, node] : keys) {
    const auto is_heading = [&, &key = path](const Heading& heading) {
      return heading.section == key;
    };
    const bool empty_section = node->is_table() && std::ranges::any_of(headings_, is_heading);
    if (empty_section || std::ranges::count(known, path) > 0) continue;
    const auto renamed = std::ranges::find(entries_, path, &Entry::former);
    unknown.push_back(renamed == entries_.end()
                          ? fmt::format("{}: there is no setting {}{}", place_of(*node), path,
                                        hint_for(path, known))
                          : fmt::format("{}: the setting {} is called {} now", place_of(*node),
                                        path, joined(renamed->section, renamed->name)));
  }
  return unknown;
}

Status Settings::finish() const {
  std::vector<std::string> lines = problems_;
  const std::vector<std::string> unknown = unknown_keys();
  lines.insert(lines.end(), unknown.begin(), unknown.end());
  if (lines.empty()) return {};
  return usage_error("{}", fmt::join(lines, "\n"));
}

std::string Settings::to_toml() const {
  std::string text;
  for (const Heading& heading : headings_) {
    const auto inside = [&](const Entry& entry) { return entry.section == heading.section; };
    if (std::ranges::none_of(entries_, inside)) continue;
    if (!text.empty()) text += '\n';
    if (!heading.help.empty()) text += fmt::format("# {}\n", heading.help);
    if (!heading.section.empty()) text += fmt::format("[{}]\n", heading.section);
    for (const Entry& entry : entries_) {
      if (!inside(entry)) continue;
      if (!entry.help.empty()) text += fmt::format("# {}\n", entry.help);
      text += fmt::format("{} = {}\n", entry.name, entry.value);
    }
  }
  return text;
}

template void Section::field(std::string_view, bool&, const FieldOptions&);
template void Section::field(std::string_view, int&, const FieldOptions&);
template void Section::field(std::string_view, std::int64_t&, const FieldOptions&);
template void Section::field(std::string_view, std::uint64_t&, const FieldOptions&);
template void Section::field(std::string_view, double&, const FieldOptions&);
template void Section::field(std::string_view, std::string&, const FieldOptions&);
template void Section::field(std::string_view, std::vector<int>&, const FieldOptions&);
template void Section::field(std::string_view, std::vector<double>&, const FieldOptions&);
template void Section::field(std::string_view, std::vector<std::string>&, const FieldOptions&);

}  // namespace redqueen::run
