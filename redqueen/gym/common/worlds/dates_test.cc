#include "redqueen/gym/common/worlds/dates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace redqueen::worlds {
namespace {

TEST(WorldDates, CountDaysAsTheCalendarDoes) {
  int year = 1999, month = 12, day = 31;
  for (Day at = *parse_day("1999-12-31"); year < 2030; at += std::chrono::days(1)) {
    const std::string text = fmt::format("{:04}-{:02}-{:02}", year, month, day);
    ASSERT_EQ(format_day(at), text);
    ASSERT_EQ(parse_day(text), at);
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const int lengths[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (++day > lengths[month - 1]) {
      EXPECT_FALSE(parse_day(fmt::format("{:04}-{:02}-{:02}", year, month, day)));
      day = 1;
      if (++month > 12) month = 1, ++year;
    }
  }
  EXPECT_EQ(weekday(*parse_day("2027-03-08")), "Monday");
  EXPECT_EQ(day_in_words(*parse_day("2027-03-08")), "8 March 2027");
  for (const std::string text : {"", "2027-3-08", "2027-13-01", "2027-00-10", "2027-01-00",
                                 "2027-01-01 ", "-027-01-01", "20270101xx"}) {
    EXPECT_FALSE(parse_day(text)) << text;
  }
}

TEST(WorldDates, TellTheTime) {
  for (int minutes = 0; minutes < 1440; ++minutes)
    EXPECT_EQ(parse_time(format_time(minutes)), minutes);
  EXPECT_EQ(time_in_words(0), "midnight");
  EXPECT_EQ(time_in_words(5), "12:05 am");
  EXPECT_EQ(time_in_words(720), "noon");
  EXPECT_EQ(time_in_words(735), "12:15 pm");
  EXPECT_EQ(time_in_words(1170), "7:30 pm");
  for (const std::string text : {"", "24:00", "12:60", "1:30", "12-30", "12:3x", "12:300"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace redqueen::worlds
