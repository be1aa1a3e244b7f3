#include "redqueen/run/variations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace redqueen::run {
namespace {

// At commas outside of quotes and brackets.
std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  return values;
}

// Letters, digits and a few signs stay; runs of others become one "-".
std::string folder_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  name.erase(0, name.find_first_not_of('.'));
  return name;
}

bool is_level(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

}  // namespace

Expected<std::vector<Variation>> parse_vary(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return usage_error("--vary {}: expected KEY=VALUE,VALUE,…", text);
  const std::string key(text.substr(0, equals));
  std::vector<Variation> variations;
  for (const std::string& value : split_values(text.substr(equals + 1))) {
    const std::string label = folder_name(value);
    if (label.empty()) return usage_error("--vary {}: a value is empty", text);
    variations.push_back({label, {fmt::format("{}={}", key, value)}});
    const auto same = std::ranges::count(variations, label, &Variation::label);
    if (same > 1) return usage_error("--vary {}: two values are called {}", text, label);
  }
  return variations;
}

Expected<Variation> parse_variant(std::string_view text) {
  const std::size_t colon = text.find(':');
  Variation variation{folder_name(text.substr(0, std::min(colon, text.size()))), {}};
  if (colon == std::string_view::npos || variation.label.empty())
    return usage_error("variant \"{}\": expected LABEL: KEY=VALUE KEY=VALUE", text);
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) return variation;
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end).find('=') == std::string_view::npos)
      return usage_error("variant \"{}\": {} is no KEY=VALUE", text, rest.substr(0, end));
    variation.assignments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
}

std::vector<Variation> combinations(const std::vector<std::vector<Variation>>& lists) {
  std::vector<Variation> all(1);
  for (const std::vector<Variation>& list : lists) {
    std::vector<Variation> longer;
    for (const Variation& begin : all) {
      for (const Variation& end : list) {
        Variation one = begin;
        one.label += (one.label.empty() ? "" : "-") + end.label;
        one.assignments.insert(one.assignments.end(), end.assignments.begin(),
                               end.assignments.end());
        longer.push_back(std::move(one));
      }
    }
    all = std::move(longer);
  }
  return all;
}

Expected<std::vector<Variation>> difficulty_variations(const std::vector<std::string>& ranges) {
  std::vector<Variation> variations{{"adaptive", {"curriculum.difficulty=adaptive"}}};
  for (const std::string& text : ranges) {
    const std::size_t dots = std::min(text.find(".."), text.size());
    const std::string low = text.substr(0, dots);
    const std::string high = dots < text.size() ? text.substr(dots + 2) : "";
    if (!is_level(low) || !is_level(high) || std::stoi(low) > std::stoi(high))
      return usage_error("--static {}: expected LOW..HIGH, such as 0..20", text);
    variations.push_back(
        {fmt::format("static-{}-{}", low, high),
         {"curriculum.difficulty=static", "curriculum.low=" + low, "curriculum.high=" + high}});
  }
  return variations;
}

std::vector<Variation> with_seeds(const Variation& variation, std::uint64_t first, int count) {
  std::vector<Variation> runs;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    Variation run = variation;
    if (count > 1) run.label += fmt::format("-seed-{}", seed);
    run.assignments.push_back(fmt::format("run.seed={}", seed));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace redqueen::run
