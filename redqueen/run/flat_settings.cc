#include "redqueen/run/flat_settings.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

namespace redqueen::run {
namespace {

void flatten(const toml::table& table, const std::string& prefix, FlatSettings& settings) {
  for (const auto& [key, value] : table) {
    const std::string path = prefix + std::string(key.str());
    if (const toml::table* inner = value.as_table()) {
      flatten(*inner, path + '.', settings);
    } else {
      std::ostringstream text;
      value.visit([&](const auto& node) { text << node; });
      settings.emplace_back(path, std::move(text).str());
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
