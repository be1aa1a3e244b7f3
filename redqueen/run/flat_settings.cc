#include "redqueen/run/flat_settings.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

namespace redqueen::run {
namespace {

// A value as its file would have it; toml++ writes 0.0003 with all of a double's digits.
std::string flat_text(const toml::node& node) {
  if (const auto* number = node.as_floating_point()) return fmt::to_string(number->get());
  if (const auto* text = node.as_string()) return '"' + text->get() + '"';
  if (const toml::array* list = node.as_array()) {
    std::string text;
    for (const toml::node& one : *list) text += (text.empty() ? "" : ", ") + flat_text(one);
    return '[' + text + ']';
  }
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return std::move(text).str();
}

void flatten(const toml::table& table, const std::string& prefix, FlatSettings& settings) {
  for (const auto& [key, value] : table) {
    const std::string path = prefix + std::string(key.str());
    if (const toml::table* inner = value.as_table()) {
      flatten(*inner, path + '.', settings);
    } else {
      settings.emplace_back(path, flat_text(value));
    }
  }
}

}  // namespace

Expected<FlatSettings> flat_settings(std::string_view toml, std::string_view source) {
  FlatSettings settings;
  try {
    flatten(toml::parse(toml, source), "", settings);
  } catch (const toml::parse_error& error) {
    return failure("{}:{}: {}", source, error.source().begin.line, error.description());
  }
  std::ranges::sort(settings);
  return settings;
}

std::string setting(const FlatSettings& settings, std::string_view path) {
  const auto found = std::ranges::find(settings, path, &FlatSettings::value_type::first);
  return found == settings.end() ? "" : found->second;
}

}  // namespace redqueen::run
