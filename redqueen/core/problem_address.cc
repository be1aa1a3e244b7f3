#include "redqueen/core/problem_address.h"

#include <charconv>

namespace redqueen {
namespace {

// Takes a number off the front of text, and the separator after it unless the text ends.
template <typename T>
bool take_number(std::string_view& text, T& out, char separator, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return true;
  if (text[0] != separator) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string ProblemAddress::to_string() const {
  std::string text = fmt::format("{}@{}/{}/{}", environment, version, level, seed);
  if (salt != 0) text += fmt::format("/s{:x}", salt);
  return text;
}

Expected<ProblemAddress> ProblemAddress::parse(std::string_view text) {
  const auto fault = [whole = text] {
    return failure("\"{}\" is not a problem's address; expected NAME@VERSION/LEVEL/SEED", whole);
  };
  ProblemAddress address;
  const std::size_t at = text.find('@');
  if (at == 0 || at == std::string_view::npos || text.ends_with('\0')) return fault();
  address.environment = text.substr(0, at);
  text.remove_prefix(at + 1);
  if (!take_number(text, address.version, '/') || text.empty()) return fault();
  if (!take_number(text, address.level, '/') || text.empty() || address.level < 0) return fault();
  if (!take_number(text, address.seed, '/')) return fault();
  if (text.empty()) return address;
  if (text[0] != 's') return fault();
  text.remove_prefix(1);
  if (!take_number(text, address.salt, '\0', 16) || !text.empty()) return fault();
  return address;
}

}  // namespace redqueen
