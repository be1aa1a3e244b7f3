#include "redqueen/data_sets/rewritings.h"

#include <algorithm>
#include <optional>

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"

namespace redqueen::data_sets {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Where the command does not go on: \left, but not \leftarrow.
std::string without_command(const std::string& text, std::string_view command) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = text.find(command); at != std::string::npos;
       at = text.find(command, begin)) {
    const std::size_t end = at + command.size();
    const bool whole =
        end >= text.size() || ascii_lower(text[end]) < 'a' || ascii_lower(text[end]) > 'z';
    result.append(text, begin, (whole ? at : end) - begin);
    begin = end;
  }
  return result + text.substr(begin);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_ascii_digit);
}

// An integer without a leading zero.
bool is_plain_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return is_digits(text) && (text.size() == 1 || text[0] != '0');
}

std::string with_separators(std::string_view integer, std::string_view separator) {
  std::string result;
  const std::size_t sign = integer.starts_with('-') ? 1 : 0;
  for (std::size_t i = 0; i < integer.size(); ++i) {
    if (i > sign && (integer.size() - i) % 3 == 0) result += separator;
    result += integer[i];
  }
  return result;
}

// The whole text as one fraction of integers: "\frac{a}{b}" or "a/b", with a sign before it.
struct PlainFraction {
  std::string sign;
  std::string above;
  std::string below;
};
std::optional<PlainFraction> plain_fraction(std::string_view text) {
  PlainFraction fraction;
  if (text.starts_with('-')) {
    fraction.sign = "-";
    text.remove_prefix(1);
  }
  for (const std::string_view command : {"\\frac{", "\\dfrac{", "\\tfrac{"}) {
    if (!text.starts_with(command) || !text.ends_with('}')) continue;
    text = text.substr(command.size(), text.size() - command.size() - 1);
    const std::size_t between = text.find("}{");
    if (between == std::string_view::npos) return std::nullopt;
    fraction.above = text.substr(0, between);
    fraction.below = text.substr(between + 2);
    if (!is_digits(fraction.above) || !is_digits(fraction.below)) return std::nullopt;
    return fraction;
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  fraction.above = text.substr(0, slash);
  fraction.below = text.substr(slash + 1);
  if (!is_digits(fraction.above) || !is_digits(fraction.below)) return std::nullopt;
  return fraction;
}

// The decimal of a fraction whose denominator divides a power of ten that is not large.
std::optional<std::string> exact_decimal(const PlainFraction& fraction) {
  const auto above = parse_int64(fraction.above);
  const auto below = parse_int64(fraction.below);
  constexpr std::int64_t kMost = 1'000'000;
  if (!above || !below || *above > kMost || *below > kMost || *below == 0) return std::nullopt;
  std::int64_t scale = 1;
  for (std::size_t places = 0; places <= 6; ++places, scale *= 10) {
    if (*above * scale % *below != 0) continue;
    const std::int64_t value = *above * scale / *below;
    if (places == 0) return fraction.sign + std::to_string(value);
    return fmt::format("{}{}.{:0{}}", fraction.sign, value / scale, value % scale, places);
  }
  return std::nullopt;
}

// Items between brackets, split at the commas of their own depth. nullopt: brackets do not match.
std::optional<std::vector<std::string_view>> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (depth < 0) return std::nullopt;
    if (text[i] == ',' && depth == 0) {
      items.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  items.push_back(text.substr(begin));
  if (depth != 0) return std::nullopt;
  return items;
}

// "\{a, b\}" the other way round.
std::optional<std::string> reversed_set(const std::string& text) {
  constexpr std::string_view kOpen = "\\{";
  constexpr std::string_view kClose = "\\}";
  if (!text.starts_with(kOpen) || !text.ends_with(kClose) || text.size() < 5) return std::nullopt;
  const std::string_view inner = std::string_view(text).substr(2, text.size() - 4);
  if (inner.find("mid") != std::string_view::npos || inner.find('|') != std::string_view::npos ||
      inner.find("\\}") != std::string_view::npos || inner.find("dots") != std::string_view::npos)
    return std::nullopt;
  auto items = items_of(inner);
  if (!items || items->size() < 2) return std::nullopt;
  std::ranges::reverse(*items);
  std::string result(kOpen);
  for (std::size_t i = 0; i < items->size(); ++i)
    result.append(i == 0 ? "" : ", ").append(trim((*items)[i]));
  return result + std::string(kClose);
}

std::vector<Rewriting> of_mathematics(const std::string& text) {
  std::vector<Rewriting> found{{"with spaces around it", "  " + text + " "}};
  const bool sentence = text.find(' ') != std::string::npos &&
                        text.find('\\') == std::string::npos && !is_ascii_digit(text[0]);
  if (text.find('$') == std::string::npos && !sentence) {
    found.push_back({"between dollars", "$" + text + "$"});
    found.push_back({"in \\boxed", "The answer is $\\boxed{" + text + "}$."});
    found.push_back({"in \\( \\)", "\\(" + text + "\\)"});
  }
  found.push_back({"\\dfrac for \\frac", replaced(text, "\\frac", "\\dfrac")});
  found.push_back({"\\frac for \\dfrac and \\tfrac",
                   replaced(replaced(text, "\\dfrac", "\\frac"), "\\tfrac", "\\frac")});
  found.push_back(
      {"without \\left and \\right", without_command(without_command(text, "\\left"), "\\right")});
  if (is_plain_integer(text)) {
    found.push_back({"with a decimal", text + ".0"});
    if (text.size() > (text[0] == '-' ? 4U : 3U)) {
      found.push_back({"with separators", with_separators(text, ",")});
      found.push_back({"with LaTeX's separators", with_separators(text, "{,}")});
    }
  }
  if (const auto fraction = plain_fraction(text)) {
    found.push_back({"with a slash", fraction->sign + fraction->above + "/" + fraction->below});
    found.push_back({"as \\frac", fmt::format("{}\\frac{{{}}}{{{}}}", fraction->sign,
                                              fraction->above, fraction->below)});
    if (const auto decimal = exact_decimal(*fraction)) found.push_back({"as a decimal", *decimal});
  }
  if (const auto reversed = reversed_set(text)) found.push_back({"in another order", *reversed});
  return found;
}

std::vector<Rewriting> of_number(const std::string& text) {
  std::vector<Rewriting> found{{"in \\boxed", "\\boxed{" + text + "}"},
                               {"between dollars", "$" + text + "$"},
                               {"with a full stop", text + "."}};
  if (text.find('$') != std::string::npos) found.erase(found.begin() + 1);
  if (is_plain_integer(text)) {
    found.push_back({"with a decimal", text + ".0"});
    found.push_back({"with money's sign", "\\boxed{\\$" + text + "}"});
    if (text.size() > (text[0] == '-' ? 4U : 3U))
      found.push_back({"with separators", with_separators(text, ",")});
  }
  found.push_back({"without separators", replaced(text, ",", "")});
  return found;
}

std::vector<Rewriting> of_choice(const Verifier& verifier) {
  const auto letter = choice_of(verifier.answer, verifier.options);
  if (!letter) return {};
  const std::string upper(1, *letter);
  std::vector<Rewriting> found{{"as a letter", upper},
                               {"as a small letter", std::string(1, ascii_lower(*letter))},
                               {"in brackets", "(" + upper + ")"},
                               {"in \\boxed", "\\boxed{" + upper + "}"},
                               {"letter and text", ""}};
  const std::string& option = verifier.options[static_cast<std::size_t>(*letter - 'A')];
  found.back().text = fmt::format("{}) {}", upper, option);
  return found;
}

}  // namespace

std::vector<Rewriting> rewritings(const Verifier& verifier) {
  std::vector<Rewriting> found;
  const std::string text(trim(verifier.answer));
  switch (verifier.kind) {
    case VerifierKind::kExact:
      found.push_back({"with spaces around it", "  " + text + "\n"});
      break;
    case VerifierKind::kNumber:
      found = of_number(text);
      break;
    case VerifierKind::kMath:
      found = of_mathematics(text);
      break;
    case VerifierKind::kChoice:
      found = of_choice(verifier);
      break;
    case VerifierKind::kValue:
      found.push_back({"in brackets", "(" + text + ")"});
      break;
    case VerifierKind::kTests:
      break;
  }
  std::erase_if(found, [&](const Rewriting& one) { return one.text == verifier.answer; });
  return found;
}

}  // namespace redqueen::data_sets
