#include "redqueen/run/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace redqueen::run {
namespace {

using testing::HasSubstr;
using testing::Not;

StepSummary summary(std::int64_t step) {
  return {.step = step,
          .total_steps = 50,
          .step_seconds = 2,
          .reward = 0.5,
          .solved = 0.25,
          .effective_prompt_ratio = 0.75,
          .tokens_per_second = 12345};
}

std::string output_of(ProgressMode mode, int width = 200) {
  std::ostringstream out;
  {
    Progress progress(out, mode, [width] { return width; });
    progress.stage("training");
    for (std::int64_t step = 1; step <= 50; ++step) progress.step(summary(step));
    progress.note("done");
  }
  return out.str();
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Progress, LinesShowWhatMatters) {
  const std::string line = progress_line(summary(10), 80, false);
  for (const char* part : {"10/50", "0.500", "25.0%", "75%", "12.3k tok/s", "1m20s left"}) {
    EXPECT_THAT(line, HasSubstr(part));
  }
  EXPECT_EQ(progress_line({.step = 3}, -1, true), "step 3");
  // At 80 columns the end of a line is cut.
  const std::string whole = progress_line(summary(10), 80, true);
  EXPECT_LT(whole.find("left"), whole.find("reward"));
}

TEST(Progress, EstimatesTheTimeLeft) {
  std::ostringstream out;
  Progress progress(out, ProgressMode::kQuiet);
  EXPECT_LT(progress.seconds_left(), 0);
  progress.step(summary(10));
  EXPECT_EQ(progress.seconds_left(), 80);
  progress.step({.step = 50, .total_steps = 50, .step_seconds = 2});
  EXPECT_EQ(progress.seconds_left(), 0);
}

TEST(Progress, ATerminalHasOneLineThatNeverWraps) {
  const std::string text = output_of(ProgressMode::kTerminal, 40);
  EXPECT_EQ(lines(text), 2u);  // the live line, the note
  std::istringstream redraws(text);
  for (std::string part; std::getline(redraws, part, '\r');) {
    std::size_t characters = 0;
    for (const char c : part) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    EXPECT_LE(characters, 39u + 3u + 6u);  // the escape sequence, the note
  }
}

TEST(Progress, LogsGetALineNowAndThenAndTheLastOne) {
  const std::string text = output_of(ProgressMode::kLines);
  EXPECT_LT(lines(text), 20u);
  EXPECT_THAT(text, HasSubstr("step 50/50"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

// A progress whose time stands still but for pass().
class Waiting {
 public:
  explicit Waiting(ProgressMode mode) : progress_(out_, mode, [this] { return now_; }) {}

  Progress& progress() { return progress_; }
  // Lets `seconds` pass, with a beat in each of them, and returns what was written meanwhile.
  std::string pass(int seconds) {
    out_.str("");
    for (int i = 0; i < seconds; ++i) {
      now_ += std::chrono::seconds(1);
      progress_.beat();
    }
    return out_.str();
  }

 private:
  std::ostringstream out_;
  Progress::Clock::time_point now_;
  Progress progress_;
};

TEST(Progress, ALogHearsOfLongWorkEverMoreSeldom) {
  Waiting waiting(ProgressMode::kLines);
  EXPECT_EQ(waiting.pass(100), "") << "nothing is in the making yet";
  waiting.progress().stage("warm start");
  EXPECT_EQ(waiting.pass(4), "");
  EXPECT_EQ(waiting.pass(16), "warm start … 5s\nwarm start … 10s\nwarm start … 20s\n");
  waiting.progress().step(summary(3));
  const std::string line = waiting.pass(5);
  EXPECT_THAT(line, HasSubstr("warm start: step 3/50"));
  EXPECT_THAT(line, HasSubstr("1m29s left  next for 5s"));
  EXPECT_LT(lines(waiting.pass(3600)), 20u);
}

TEST(Progress, ATerminalCountsTheSecondsInItsLine) {
  Waiting waiting(ProgressMode::kTerminal);
  waiting.progress().stage("evaluating");
  const std::string text = waiting.pass(3);
  for (const char* part : {"evaluating … 1s", "evaluating … 2s", "evaluating … 3s"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(lines(text), 0u);
  waiting.progress().step(summary(50));
  EXPECT_EQ(waiting.pass(100), "") << "the last step is done";
}

TEST(Progress, MachinesAndTheQuietHearOfStepsAlone) {
  for (const ProgressMode mode : {ProgressMode::kJson, ProgressMode::kQuiet}) {
    Waiting waiting(mode);
    waiting.progress().stage("warm start");
    EXPECT_EQ(waiting.pass(1000), "");
  }
}

TEST(Progress, QuietSaysOnlyNotes) { EXPECT_EQ(output_of(ProgressMode::kQuiet), "done\n"); }

TEST(Progress, JsonIsOneObjectALine) {
  std::istringstream text(output_of(ProgressMode::kJson));
  int steps = 0;
  for (std::string line; std::getline(text, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json["event"] != "step") continue;
    ++steps;
    EXPECT_EQ(json["step"], steps);
    EXPECT_EQ(json["effective_prompt_ratio"], 0.75);
  }
  EXPECT_EQ(steps, 50);
}

TEST(Progress, JsonBearsHostileText) {
  std::ostringstream out;
  Progress(out, ProgressMode::kJson).note(std::string("\xFF\0\n", 3));
  EXPECT_EQ(lines(out.str()), 1u);
  EXPECT_TRUE(nlohmann::json::accept(out.str()));
}

TEST(Progress, TextsOfDurationsAndCounts) {
  EXPECT_EQ(duration_text(47.6), "48s");
  EXPECT_EQ(duration_text(59.9), "1m00s");
  EXPECT_EQ(duration_text(3599.7), "1h00m");
  EXPECT_EQ(duration_text(2 * 86400.0 + 3600), "2d01h");
  EXPECT_EQ(duration_text(-1), "?");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(count_text(999.4), "999");
  EXPECT_EQ(count_text(999.6), "1.0k");
  EXPECT_EQ(count_text(4'560'000), "4.6M");
}

TEST(Progress, APipeIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(detect_progress_mode(ends[1]), ProgressMode::kLines);
  EXPECT_GT(terminal_width(ends[1]), 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(Progress, SaysWhatAStepIsAt) {
  for (const ProgressMode mode : {ProgressMode::kLines, ProgressMode::kTerminal}) {
    Progress::Clock::time_point now{};
    std::ostringstream out;
    Progress progress(out, mode, [&now] { return now; });
    progress.stage("growing");
    progress.activity("solver 3 of 8");
    now += std::chrono::seconds(7);
    progress.beat();
    EXPECT_THAT(out.str(), HasSubstr("growing … 7s  solver 3 of 8"));
    progress.step(summary(1));
    out.str("");
    now += std::chrono::seconds(7);
    progress.beat();
    EXPECT_THAT(out.str(), Not(HasSubstr("solver")));
  }
}

TEST(Progress, RemarksStayUnlessItIsQuiet) {
  const auto of = [](ProgressMode mode) {
    std::ostringstream out;
    {
      Progress progress(out, mode, [] { return 80; });
      progress.stage("growing");
      progress.remark("s1-0-0 admitted");
    }
    return out.str();
  };
  EXPECT_EQ(of(ProgressMode::kQuiet), "");
  EXPECT_EQ(of(ProgressMode::kLines), "growing …\ns1-0-0 admitted\n");
  EXPECT_THAT(of(ProgressMode::kTerminal), HasSubstr("\r\x1b[Ks1-0-0 admitted\n"));
  EXPECT_THAT(of(ProgressMode::kJson), HasSubstr(R"({"event":"remark","text":"s1-0-0 admitted"})"));
}

}  // namespace
}  // namespace redqueen::run
