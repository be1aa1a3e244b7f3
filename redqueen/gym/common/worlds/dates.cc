#include "redqueen/gym/common/worlds/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace redqueen::worlds {
namespace {

constexpr int kNoon = 12 * 60;

// The number that a text of digits stands for; nullopt if anything else is in it.
std::optional<int> digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<Day> parse_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = digits(text.substr(0, 4));
  const auto month = digits(text.substr(5, 2));
  const auto day = digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return Day(date);
}

std::string format_day(Day day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string day_in_words(Day day) {
  constexpr std::array<std::string_view, 12> kMonths{
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  const std::chrono::year_month_day date(day);
  return fmt::format("{} {} {}", static_cast<unsigned>(date.day()),
                     kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()));
}

std::string_view weekday(Day day) {
  constexpr std::array<std::string_view, 7> kNames{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
  return kNames[std::chrono::weekday(day).c_encoding()];
}

std::optional<int> parse_time(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto hours = digits(text.substr(0, 2));
  const auto minutes = digits(text.substr(3, 2));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return 60 * *hours + *minutes;
}

std::string format_time(int minutes) {
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

std::string time_in_words(int minutes) {
  if (minutes == 0) return "midnight";
  if (minutes == kNoon) return "noon";
  const int hour = minutes / 60 % 12;
  return fmt::format("{}:{:02} {}", hour == 0 ? 12 : hour, minutes % 60,
                     minutes < kNoon ? "am" : "pm");
}

}  // namespace redqueen::worlds
