#include "redqueen/gym/worlds/toolcall/wording.h"

#include <array>
#include <cstdlib>
#include <vector>

#include "redqueen/gym/common/worlds/words.h"

namespace redqueen::toolcall {
namespace {

// Days up to here are told by their distance.
constexpr int kNearDays = 14;
constexpr double kIndirectShare = 0.7;

std::string integer_in_words(std::int64_t number, bool indirect) {
  constexpr std::array<std::string_view, 13> kNames{"zero", "one",    "two",   "three", "four",
                                                    "five", "six",    "seven", "eight", "nine",
                                                    "ten",  "eleven", "twelve"};
  if (indirect && number >= 0 && number < static_cast<std::int64_t>(kNames.size()))
    return std::string(kNames[static_cast<std::size_t>(number)]);
  return fmt::format("{}", number);
}

std::string duration_in_words(std::int64_t minutes, bool indirect) {
  if (!indirect || minutes < 60) return fmt::format("{} minutes", minutes);
  const std::string hours = minutes < 120 ? "1 hour" : fmt::format("{} hours", minutes / 60);
  return minutes % 60 == 0 ? hours : fmt::format("{} and {} minutes", hours, minutes % 60);
}

std::string date_in_words(const std::string& text, Speech& speech, bool indirect) {
  const auto day = worlds::parse_day(text);
  if (!indirect || !day) return text;
  const auto distance = (*day - speech.today).count();
  if (std::abs(distance) > kNearDays || distance == 0 || speech.rng.chance(0.5))
    return worlds::day_in_words(*day);
  return fmt::format("the day {} day{} {}", std::abs(distance), std::abs(distance) == 1 ? "" : "s",
                     distance > 0 ? "from today" : "before today");
}

std::string members_in_words(std::span<const Parameter> members, const Json& arguments,
                             std::string_view omitted, Speech& speech);

std::string rows_in_words(const Parameter& parameter, const Json& rows, Speech& speech) {
  std::vector<std::string> items;
  for (const Json& row : rows)
    items.push_back(members_in_words(parameter.members(), row, {}, speech));
  return enumeration(items);
}

std::string value_in_words(const Parameter& parameter, const Json& value, Speech& speech) {
  const bool indirect = speech.indirect && speech.rng.chance(kIndirectShare);
  switch (parameter.kind) {
    case Kind::kText:
      return value.get<std::string>();
    case Kind::kSentence:
      return fmt::format("\"{}\"", value.get_ref<const std::string&>());
    case Kind::kInteger:
      return integer_in_words(value.get<std::int64_t>(), indirect);
    case Kind::kMinutes:
      return duration_in_words(value.get<std::int64_t>(), indirect);
    case Kind::kNumber:
      return fmt::format("{}", value.get<double>());
    case Kind::kFlag:
      return {};
    case Kind::kChoice:
      for (const Choice& choice : parameter.options()) {
        if (value == choice.value) return std::string(choice.words);
      }
      return {};
    case Kind::kDate:
      return date_in_words(value.get_ref<const std::string&>(), speech, indirect);
    case Kind::kTime: {
      const auto& text = value.get_ref<const std::string&>();
      const auto time = worlds::parse_time(text);
      return indirect && time ? worlds::time_in_words(*time) : text;
    }
    case Kind::kTexts:
      return enumeration(value.get<std::vector<std::string>>());
    case Kind::kObject:
      return members_in_words(parameter.members(), value, {}, speech);
    case Kind::kRows:
      return rows_in_words(parameter, value, speech);
  }
  return {};
}

// The phrase of an argument, with the space or comma before it.
std::string phrase_of(const Parameter& parameter, const Json& value, Speech& speech) {
  const bool denied = parameter.kind == Kind::kFlag && !value.get<bool>();
  std::string phrase(denied ? parameter.denial : parameter.phrase);
  const std::string words = value_in_words(parameter, value, speech);
  if (const std::size_t place = phrase.find("{}"); place != std::string::npos)
    phrase.replace(place, 2, words);
  return phrase;
}

std::string members_in_words(std::span<const Parameter> members, const Json& arguments,
                             std::string_view omitted, Speech& speech) {
  std::string text;
  for (const Parameter& member : members) {
    const auto found = arguments.find(member.key);
    if (found == arguments.end() || member.key == omitted) continue;
    text += phrase_of(member, *found, speech);
  }
  return text;
}

}  // namespace

std::string call_in_words(const Tool& tool, const Json& arguments, std::string_view omitted,
                          Speech& speech) {
  return std::string(tool.request) + members_in_words(tool.members(), arguments, omitted, speech);
}

std::string argument_in_words(const Parameter& parameter, const Json& value, Speech& speech) {
  const std::string phrase = phrase_of(parameter, value, speech);
  return phrase.substr(std::min(phrase.size(), phrase.find_first_not_of(" ,:")));
}

}  // namespace redqueen::toolcall
