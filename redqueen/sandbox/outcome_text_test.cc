#include "redqueen/sandbox/outcome_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "redqueen/base/rng.h"

namespace redqueen::sandbox {
namespace {

// nlohmann's serializer throws for text that is not UTF-8: an independent judge.
bool is_utf8(const std::string& text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

TEST(ValidUtf8, KeepsWhatIsValidAndMendsTheRest) {
  Rng rng({.seed = 3, .purpose = hash_name("outcome_text_test")});
  // Bytes that begin, continue or break multi-byte characters, drawn often enough to meet one
  // another.
  const std::vector<int> bytes = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                  0xC2, 0xDF, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF};
  int valid = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (auto n = rng.below(6); n-- > 0;) text.push_back(static_cast<char>(rng.choice(bytes)));
    const std::string mended = valid_utf8(text);
    ASSERT_TRUE(is_utf8(mended));
    ASSERT_EQ(mended == text, is_utf8(text)) << ::testing::PrintToString(text);
    valid += mended == text ? 1 : 0;
  }
  EXPECT_GT(valid, 5'000);
}

TEST(SoundJson, RefusesWhatWouldHurtAReader) {
  EXPECT_TRUE(is_sound_json("[1, {\"a\": \"]]]\\\"[[\"}]"));
  EXPECT_FALSE(is_sound_json(""));
  EXPECT_FALSE(is_sound_json("[1"));
  EXPECT_FALSE(is_sound_json("1 2"));
  EXPECT_FALSE(is_sound_json("NaN"));
  EXPECT_TRUE(is_sound_json(std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(is_sound_json(std::string(101, '[') + std::string(101, ']')));
  EXPECT_FALSE(is_sound_json(std::string(1'000'000, '[')));
}

TEST(MakeOutcome, MendsWhatAChildMadeUp) {
  wire::Report report;
  report.status = OutcomeStatus::kOk;
  report.value = "\xff";
  report.json = "[1,";
  report.cpu_seconds = std::numeric_limits<double>::quiet_NaN();
  wire::Result result;
  result.report = wire::encode_report(wire::Kind::kReport, 0, 0, report)
                      .substr(wire::kHeaderBytes + wire::kMarksBytes);
  const Outcome outcome = make_outcome(result, 1 << 20);
  EXPECT_EQ(outcome.status, OutcomeStatus::kOk);
  EXPECT_EQ(outcome.value, "\xEF\xBF\xBD");
  EXPECT_EQ(outcome.json, "");
  EXPECT_EQ(outcome.cpu_seconds, 0);
  result.report = "nonsense";
  EXPECT_EQ(make_outcome(result, 1 << 20).status, OutcomeStatus::kCrashed);
}

TEST(MakeOutcome, TakesTheWorkersWordOverTheChilds) {
  wire::Result result;
  result.status = OutcomeStatus::kTimeout;
  result.message = "late";
  result.report = "whatever";
  EXPECT_EQ(make_outcome(result, 1 << 20).status, OutcomeStatus::kTimeout);
}

}  // namespace
}  // namespace redqueen::sandbox
