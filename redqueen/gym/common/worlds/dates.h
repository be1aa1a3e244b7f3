// Days and times of day as the worlds write them: "2027-03-14" and "19:30", and in words.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace redqueen::worlds {

using Day = std::chrono::sys_days;

// "2027-03-14", nothing around it; nullopt for any other text, and for days that no calendar has.
std::optional<Day> parse_day(std::string_view text);
std::string format_day(Day day);

// "14 March 2027".
std::string day_in_words(Day day);
// "Sunday".
std::string_view weekday(Day day);

// Minutes since midnight of "19:30", in 0..1439; nullopt for any other text.
std::optional<int> parse_time(std::string_view text);
std::string format_time(int minutes);

// "7:30 pm", "noon", "midnight".
std::string time_in_words(int minutes);

}  // namespace redqueen::worlds
