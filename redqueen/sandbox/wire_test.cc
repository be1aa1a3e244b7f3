#include "redqueen/sandbox/wire.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::sandbox::wire {
namespace {

std::string payload(const std::string& bytes) { return bytes.substr(kHeaderBytes); }

JobFrame sample_job() {
  JobFrame job;
  job.id = 0x0123456789ABCDEFULL;
  job.mode = Mode::kSession;
  job.strict = true;
  job.program.preludes = {"def f(): pass", ""};
  job.program.source = std::string("x = 1\0\xff", 7);
  job.program.input = "in";
  job.program.hidden = true;
  job.program.files = {{"a.txt", std::string("\0x", 2)}, {"b", ""}};
  job.program.fetch = {"c"};
  job.program.profile = code_profile();
  job.program.hash_seed = 77;
  for_each_limit([&](const auto& limit) { job.program.limits.*limit.member = limit.most; });
  job.calls = {Call::literal("f", "1, 2"), Call::expression("x"), Call::json("g", "[]")};
  return job;
}

Report sample_report() {
  return {OutcomeStatus::kError,
          "value",
          "canonical",
          "[1]",
          "ValueError",
          "message",
          "line 1\n",
          3,
          4,
          0.25,
          0.5,
          1U << 20};
}

std::vector<std::string> sample_frames() {
  Result result;
  result.id = 9;
  result.index = 3;
  result.status = OutcomeStatus::kTimeout;
  result.ended = true;
  result.message = "late";
  result.report = std::string(1000, 'r');
  wire::Setup setup;
  setup.preload = {"math", "re"};
  setup.preludes = {"y = 2"};
  Ready ready{{{"a layer", LayerState::State::kUnavailable, "why", "remedy"}}, "error"};
  return {encode(setup),
          encode(ready),
          encode(sample_job()),
          encode(result),
          encode_call(3, Call::python("f", "x")),
          encode_close(8),
          encode_report(Kind::kReport, 1, 2, sample_report())};
}

// Whatever the kind, decoding must neither crash nor allocate beyond reason; the sanitizer build
// checks the rest.
bool decodes(const std::string& bytes) {
  bool any = false;
  any |= decode_setup(bytes).has_value();
  any |= decode_ready(bytes).has_value();
  any |= decode_job(bytes).has_value();
  any |= decode_result(bytes).has_value();
  any |= decode_call(bytes).has_value();
  any |= decode_close(bytes).has_value();
  any |= decode_report(bytes).has_value();
  any |= decode_marks(bytes).has_value();
  return any;
}

TEST(Wire, CarriesJobsUnchanged) {
  const JobFrame job = sample_job();
  const auto copy = decode_job(payload(encode(job)));
  ASSERT_TRUE(copy);
  EXPECT_EQ(encode(*copy), encode(job));
  EXPECT_EQ(copy->id, job.id);
  EXPECT_EQ(copy->program.source, job.program.source);
  EXPECT_EQ(copy->program.profile, job.program.profile);
  EXPECT_EQ(copy->program.limits, job.program.limits);
  ASSERT_EQ(copy->calls.size(), 3U);
  EXPECT_EQ(copy->calls[2].kind, Call::Kind::kJson);
  EXPECT_EQ(copy->calls[0].text, "1, 2");
}

TEST(Wire, CarriesReportsBehindTheirMarks) {
  const std::string bytes = payload(encode_report(Kind::kReport, 10, 20, sample_report()));
  EXPECT_EQ(decode_marks(bytes), (std::pair<std::uint64_t, std::uint64_t>{10, 20}));
  const auto report = decode_report(bytes.substr(kMarksBytes));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->traceback, "line 1\n");
  EXPECT_EQ(report->line, 3U);
  EXPECT_EQ(report->cpu_seconds, 0.5);
}

TEST(Wire, RefusesEveryTruncation) {
  for (const auto& frame : sample_frames()) {
    const std::string whole = payload(frame);
    const auto own = [&](const std::string& bytes) {
      switch (static_cast<Kind>(frame[4])) {
        case Kind::kSetup:
          return decode_setup(bytes).has_value();
        case Kind::kReady:
          return decode_ready(bytes).has_value();
        case Kind::kJob:
          return decode_job(bytes).has_value();
        case Kind::kResult:
          return decode_result(bytes).has_value();
        case Kind::kCall:
          return decode_call(bytes).has_value();
        case Kind::kClose:
          return decode_close(bytes).has_value();
        default:
          return decode_marks(bytes) && decode_report(bytes.substr(kMarksBytes)).has_value();
      }
    };
    EXPECT_TRUE(own(whole));
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(own(whole.substr(0, size)));
    EXPECT_FALSE(own(whole + "x"));
  }
}

TEST(Wire, SurvivesRandomBytesAndRandomFlips) {
  Rng rng({.seed = 5, .purpose = hash_name("wire_test")});
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    const auto length = rng.below(80);
    for (std::uint64_t k = 0; k < length; ++k) bytes.push_back(static_cast<char>(rng.below(256)));
    decodes(bytes);
    Frame frame;
    if (split_frame(bytes, 64, frame) == Split::kFrame) {
      EXPECT_LE(frame.size, bytes.size());
      EXPECT_LE(frame.payload.size(), 64U);
    }
  }
  int survived = 0;
  for (const auto& frame : sample_frames()) {
    for (int i = 0; i < 3'000; ++i) {
      std::string bytes = payload(frame);
      for (auto flips = rng.below(4); flips-- > 0;) {
        bytes[static_cast<std::size_t>(rng.below(bytes.size()))] =
            static_cast<char>(rng.below(256));
      }
      survived += decodes(bytes) ? 1 : 0;
    }
  }
  EXPECT_GT(
      survived,
      1000);  // many flips leave a frame readable: the loop did test decoders, not only refusals
}

TEST(Wire, RefusesForgedCountsWithoutAllocating) {
  std::string bytes = payload(encode(wire::Setup{}));
  // The count of preludes is the last u32.
  for (std::size_t i = bytes.size() - 4; i < bytes.size(); ++i) bytes[i] = '\xff';
  EXPECT_FALSE(decode_setup(bytes));
}

TEST(Wire, SplitsFramesFromAStream) {
  const std::string first = encode_close(1);
  const std::string second = encode_close(2);
  const std::string stream = first + second;
  Frame frame;
  for (std::size_t size = 0; size < first.size(); ++size) {
    EXPECT_EQ(split_frame(stream.substr(0, size), 100, frame), Split::kNeedMore);
  }
  ASSERT_EQ(split_frame(stream, 100, frame), Split::kFrame);
  EXPECT_EQ(decode_close(frame.payload), 1U);
  ASSERT_EQ(split_frame(std::string_view(stream).substr(frame.size), 100, frame), Split::kFrame);
  EXPECT_EQ(decode_close(frame.payload), 2U);
}

TEST(Wire, RefusesLongFramesAndUnknownKinds) {
  std::string bytes = encode_close(1);
  Frame frame;
  EXPECT_EQ(split_frame(bytes, 7, frame), Split::kMalformed);
  bytes[4] = 0;
  EXPECT_EQ(split_frame(bytes, 100, frame), Split::kMalformed);
  bytes[4] = 100;
  EXPECT_EQ(split_frame(bytes, 100, frame), Split::kMalformed);
}

}  // namespace
}  // namespace redqueen::sandbox::wire
