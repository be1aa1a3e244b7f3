#include "redqueen/recipes/genenv/task_description.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::genenv {
namespace {

Refusal refusal_of(std::string_view response, std::size_t max_bytes = 8192) {
  const auto read = read_description(response, max_bytes);
  EXPECT_FALSE(read) << response;
  return read ? Refusal::kKnown : read.error().reason;
}

TEST(ReadDescription, FindsTheObjectInWhatIsAround) {
  const TaskDescription expected{.environment = "Sorting", .level = 3};
  for (const std::string_view response : {
           R"({"environment":"Sorting","level":3})",
           "Here it is: {\"environment\": \"Sorting\",\n \"level\": 3} I hope it helps.",
           "A {thing} first.\n```json\n{\"environment\": \"Sorting\", \"level\": 3}\n```\n",
           "```\n{\"environment\": \"Other\", \"level\": 1}\n```\nbetter:\n"
           "```json\n{\"level\": 3, \"environment\": \"Sorting\"}\n```",
       }) {
    const auto read = read_description(response);
    ASSERT_TRUE(read) << response << ": " << read.error().detail;
    EXPECT_EQ(*read, expected) << response;
  }
  const auto quoted = read_description(R"({"environment": "a } \" {", "level": 0})");
  ASSERT_TRUE(quoted);
  EXPECT_EQ(quoted->environment, "a } \" {");
}

TEST(ReadDescription, RefusesWithAReason) {
  using enum Refusal;
  EXPECT_EQ(refusal_of(""), kNoObject);
  EXPECT_EQ(refusal_of("level three, please"), kNoObject);
  EXPECT_EQ(refusal_of("{\"environment\": \"Sorting\", \"level\": 3"), kNoObject);
  EXPECT_EQ(refusal_of("{environment: Sorting}"), kBadJson);
  EXPECT_EQ(refusal_of(R"({"environment": "A", "level": 1, "level": 2})"), kBadJson);
  EXPECT_EQ(refusal_of(R"({"environment": "A", "parameter": {"N": 1, "N": 2}})"), kBadJson);
  EXPECT_EQ(refusal_of(R"({"environment": "A", "level": 1e999})"), kBadJson);
  for (const std::string_view text : {
           R"({"environment": 3, "level": 1})",
           R"({"environment": "A"})",
           R"({"level": 1})",
           R"({"environment": "A", "level": -1})",
           R"({"environment": "A", "level": 1.5})",
           R"({"environment": "A", "level": "1"})",
           R"({"environment": "A", "level": 99999999999})",
           R"({"environment": "A", "level": 1, "parameter": {}})",
           R"({"environment": "A", "parameter": [1]})",
           R"({"environment": "A", "parameter": {}, "where": {"N": 1}})",
           R"({"environment": "A", "level": 1, "where": 5})",
           R"({"environment": "A", "level": 1, "where": {"N": [1, 2, 3]}})",
           R"({"environment": "A", "level": 1, "where": {"N": {"low": 1}}})",
           R"({"environment": "A", "level": 1, "answer": "42"})",  // no truth of its own
           R"({"environment": "A", "level": 1, "code": "import os"})",
       })
    EXPECT_EQ(refusal_of(text), kBadField) << text;
  EXPECT_EQ(refusal_of(R"({"environment": "A", "level": 1})", 10), kTooLong);
}

TEST(ReadDescription, WritesOneFormForWhatMeansTheSame) {
  const auto one = read_description(R"({"where":{"b":1,"a":[1, 2]},"level":2,"environment":"A"})");
  const auto other =
      read_description(R"({ "environment": "A", "level": 2, "where": {"a": [1,2], "b": 1} })");
  ASSERT_TRUE(one && other);
  EXPECT_EQ(dump_json(one->to_json()), dump_json(other->to_json()));
  const auto again = read_description(dump_json(one->to_json()));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->to_json(), one->to_json());
}

// Every cut and many mutations of sound texts end with a description or a reason, never otherwise.
TEST(ReadDescription, SurvivesMutatedBytes) {
  const std::string sound =
      "so: ```json\n{\"environment\": \"Sorting\", \"level\": 3, \"where\": {\"N\": [4, 6]}}\n```";
  for (std::size_t cut = 0; cut <= sound.size(); ++cut)
    static_cast<void>(read_description(sound.substr(0, cut)));
  Rng rng({.seed = 5});
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = sound;
    for (std::int64_t edits = rng.integer(1, 4); edits > 0; --edits) {
      const auto at = static_cast<std::size_t>(rng.below(text.size()));
      if (rng.chance(0.3)) {
        text.erase(at, 1);
      } else if (rng.chance(0.5)) {
        text[at] = static_cast<char>(rng.below(256));
      } else {
        text.insert(at, 1, "{}[]\"\\:,`"[rng.below(9)]);
      }
    }
    if (const auto description = read_description(text)) {
      ++read;
      EXPECT_TRUE(read_description(dump_json(description->to_json())));
    }
  }
  EXPECT_GT(read, 100);
}

TEST(ReadDescription, TakesLinearTimeForDeepAndLongTexts) {
  EXPECT_EQ(refusal_of(std::string(1'000'000, '{')), Refusal::kNoObject);
  const std::string deep = "{\"a\":" + std::string(500'000, '[') + std::string(500'000, ']') + "}";
  EXPECT_EQ(refusal_of(deep), Refusal::kTooLong);
  EXPECT_EQ(refusal_of(deep, 2'000'000), Refusal::kBadJson) << "JSON nests 500 deep at most";
}

TEST(Keeps, ComparesValuesAndRanges) {
  const Json parameter = Json::parse(R"({"N": 5, "array": [3, 1, 2], "name": "x", "even": true})");
  const auto keeps_text = [&](const char* where) { return keeps(parameter, Json::parse(where)); };
  EXPECT_TRUE(keeps_text("{}"));
  EXPECT_TRUE(keeps_text(R"({"N": 5, "name": "x", "even": true})"));
  EXPECT_TRUE(keeps_text(R"({"N": [5, 5], "array": [3, 9]})"));
  EXPECT_FALSE(keeps_text(R"({"N": 4})"));
  EXPECT_FALSE(keeps_text(R"({"N": [6, 9]})"));
  EXPECT_FALSE(keeps_text(R"({"array": [4, 9]})"));
  EXPECT_FALSE(keeps_text(R"({"name": [0, 9]})"));
  EXPECT_FALSE(keeps_text(R"({"name": "y"})"));
  EXPECT_FALSE(keeps_text(R"({"M": 1})"));
}

}  // namespace
}  // namespace redqueen::genenv
