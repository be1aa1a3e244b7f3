#include "redqueen/sandbox/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::sandbox {
namespace {

using ::testing::HasSubstr;

Expected<Batch> read(std::string_view text) { return read_request(parse_json(text).value(), {}); }

std::string fault(std::string_view text) {
  const auto batch = read(text);
  return batch ? "" : batch.error().message;
}

TEST(SandboxRequest, ReadsEveryKey) {
  const auto batch = read(
      R"json({"source": "s", "calls": ["f(1)", "g()"], "stdin": "in", "profile": {"allow": ["math"], "ban_attributes": ["a.b"]},
          "limits": {"wall_seconds": 0.5, "cpu_seconds": 2, "memory_bytes": 67108864, "output_bytes": 9, "recursion": 70},
          "hash_seed": 4294967295, "id": [1]})json");
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(batch->program.source, "s");
  EXPECT_EQ(batch->program.input, "in");
  EXPECT_EQ(batch->program.hash_seed, 0xFFFFFFFF);
  EXPECT_EQ(batch->program.profile, (Profile{"custom", true, {"math"}, {"a.b"}}));
  EXPECT_EQ(batch->program.limits, (Limits{0.5, 2, 64U << 20, 9, 70}));
  ASSERT_EQ(batch->calls.size(), 2U);
  EXPECT_EQ(batch->calls[1].text, "g()");
}

TEST(SandboxRequest, NeedsNothingButTheSource) {
  Limits defaults;
  defaults.wall_seconds = 3;
  const auto batch = read_request(parse_json(R"({"source": ""})").value(), defaults);
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->calls.empty());
  EXPECT_EQ(batch->program.limits, defaults);
  EXPECT_EQ(batch->program.profile, pure_profile());
  EXPECT_EQ(read(R"({"source": "", "profile": {}})")->program.profile.modules.size(), 0U);
  EXPECT_EQ(read(R"({"source": "", "call": "x"})")->calls.at(0).text, "x");
}

TEST(SandboxRequest, ReadsEveryLimitWithinItsBounds) {
  for_each_limit([](const auto& limit) {
    const auto set = [&](const auto& value) {
      const Json request{{"source", ""}, {"limits", {{std::string(limit.name), value}}}};
      return read_request(request, {});
    };
    for (const auto value : {limit.least, limit.most}) {
      const auto batch = set(value);
      ASSERT_TRUE(batch) << batch.error().message;
      Limits expected;
      expected.*limit.member = value;
      EXPECT_EQ(batch->program.limits, expected) << limit.name;
    }
    for (const auto value : {limit.least - 1, limit.most + 1}) {
      const auto batch = set(value);
      ASSERT_FALSE(batch) << limit.name << " = " << value;
      EXPECT_THAT(batch.error().message, HasSubstr(fmt::format("limits.{} is", limit.name)));
    }
  });
}

TEST(SandboxRequest, SaysWhatIsWrong) {
  EXPECT_THAT(fault("[1]"), HasSubstr("the request is not an object"));
  EXPECT_THAT(fault("{}"), HasSubstr("no 'source'"));
  EXPECT_THAT(fault(R"({"source": 5})"), HasSubstr("source is 5, expected text"));
  EXPECT_THAT(fault(R"({"source": "", "call": null})"), HasSubstr("call is null"));
  EXPECT_THAT(fault(R"({"source": "", "calls": "f"})"), HasSubstr("expected a list of texts"));
  EXPECT_THAT(fault(R"({"source": "", "calls": [1]})"), HasSubstr("calls is 1"));
  EXPECT_THAT(fault(R"({"source": "", "call": "x", "calls": []})"), HasSubstr("both"));
  EXPECT_THAT(fault(R"({"source": "", "cal": "x"})"), HasSubstr("no key 'cal'; there are: source"));
  EXPECT_THAT(fault(R"({"source": "", "hash_seed": -1})"), HasSubstr("hash_seed is -1"));
  EXPECT_THAT(fault(R"({"source": "", "hash_seed": 4294967296})"), HasSubstr("hash_seed"));
  EXPECT_THAT(fault(R"({"source": "", "hash_seed": 1.5})"), HasSubstr("a whole number"));
  EXPECT_THAT(fault(R"({"source": "", "profile": "none"})"), HasSubstr("'program' or 'data'"));
  EXPECT_THAT(fault(R"({"source": "", "profile": 7})"), HasSubstr("profile is not an object"));
  EXPECT_THAT(fault(R"({"source": "", "profile": {"allow": [], "ban": []}})"),
              HasSubstr("no key 'ban' in profile"));
  EXPECT_THAT(fault(R"({"source": "", "limits": {"wall": 3}})"), HasSubstr("'wall' in limits"));
  EXPECT_THAT(fault(R"({"source": "", "limits": {"wall_seconds": 0}})"),
              HasSubstr("limits.wall_seconds is 0, expected a number between 0.001 and"));
  EXPECT_THAT(fault(R"({"source": "", "limits": {"memory_bytes": -5}})"), HasSubstr("-5"));
  EXPECT_THAT(fault(R"({"source": "", "limits": {"recursion": 1e300}})"), HasSubstr("recursion"));
  EXPECT_THAT(
      fault(R"({"source": "", "limits": {"memory_bytes": 123456789012345678901234567890}})"),
      HasSubstr("memory_bytes"));
}

// Values of every kind in the place of every key: an answer, never an exception.
TEST(SandboxRequest, SurvivesRandomRequests) {
  const std::vector<std::string> values = {"null",
                                           "true",
                                           "-1",
                                           "0",
                                           "3",
                                           "1e400",
                                           "99999999999999999999999",
                                           "1.5",
                                           "\"\"",
                                           "\"pure\"",
                                           "[]",
                                           "[[]]",
                                           "[\"x\"]",
                                           "{}",
                                           R"({"allow": ["math"]})",
                                           R"({"wall_seconds": 1})"};
  const std::vector<std::string> keys = {"source", "call", "calls",     "stdin", "profile",
                                         "limits", "id",   "hash_seed", "x"};
  Rng rng({.seed = 3, .purpose = hash_name("sandbox requests")});
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = R"({"source": "x = 1")";
    for (const std::string& key : keys) {
      if (!rng.chance(0.2)) continue;
      text += fmt::format(", \"{}\": {}", key, rng.choice(values));
    }
    const auto json = parse_json(text + "}");
    if (!json) continue;  // the key twice, or a number beyond a double
    const auto batch = read_request(*json, {});
    accepted += batch ? 1 : 0;
    if (!batch) {
      EXPECT_THAT(batch.error().message, HasSubstr("this request cannot be run: "));
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace redqueen::sandbox
