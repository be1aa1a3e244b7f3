#include "redqueen/run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

namespace redqueen::run {
namespace {

constexpr std::size_t kRecentSteps = 20;
constexpr double kSecondsBetweenLines = 10;
constexpr double kFirstSilence = 5;  // seconds until a log hears that work goes on
constexpr double kLongestSilence = 300;
constexpr int kDefaultWidth = 100;
constexpr int kBarWidth = 16;
constexpr std::string_view kClearLine = "\r\x1b[K";

// Eighths of a cell, so that short runs and long ones move alike.
std::string bar(double share) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kBarWidth * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[eighths % 8];
  const int used = eighths / 8 + (eighths % 8 > 0 ? 1 : 0);
  return text + std::string(static_cast<std::size_t>(kBarWidth - used), ' ');
}

// The first `width` characters; the line must not wrap, or it could not be redrawn.
std::string_view shortened(std::string_view text, int width) {
  int characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && characters++ == width) return text.substr(0, i);
  }
  return text;
}

nlohmann::ordered_json json_of(const StepSummary& summary, std::string_view stage,
                               double seconds_left) {
  nlohmann::ordered_json json = {{"event", "step"}, {"stage", stage}, {"step", summary.step}};
  if (summary.total_steps > 0) json["total_steps"] = summary.total_steps;
  json["seconds"] = summary.step_seconds;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  add("reward", summary.reward);
  add("solved", summary.solved);
  add("effective_prompt_ratio", summary.effective_prompt_ratio);
  add("tokens_per_second", summary.tokens_per_second);
  if (!summary.detail.empty()) json["detail"] = summary.detail;
  if (seconds_left >= 0) json["seconds_left"] = seconds_left;
  return json;
}

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

ProgressMode detect_progress_mode(int file_descriptor) {
  const char* terminal = std::getenv("TERM");
  const bool can_redraw = terminal != nullptr && std::string_view(terminal) != "dumb";
  return isatty(file_descriptor) != 0 && can_redraw ? ProgressMode::kTerminal
                                                    : ProgressMode::kLines;
}

int terminal_width(int file_descriptor) {
  winsize size{};
  const bool known = ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultWidth;
}

std::string duration_text(double seconds) {
  constexpr double kLongest = 1e9;
  if (!(seconds >= 0 && seconds < kLongest)) return "?";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole % 86400 / 3600);
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return "?";
  const double size = std::abs(count);
  if (size < 999.5) return fmt::format("{:.0f}", count);
  if (size < 999'950) return fmt::format("{:.1f}k", count / 1e3);
  if (size < 999'950'000) return fmt::format("{:.1f}M", count / 1e6);
  return fmt::format("{:.1f}G", count / 1e9);
}

std::string progress_line(const StepSummary& summary, double seconds_left, bool with_bar,
                          double waiting_seconds) {
  std::string line = fmt::format("step {}", summary.step);
  if (summary.total_steps > 0) {
    line += fmt::format("/{}", summary.total_steps);
    if (with_bar) {
      const double share =
          static_cast<double>(summary.step) / static_cast<double>(summary.total_steps);
      line += fmt::format(" ▕{}▏", bar(share));
    }
  }
  if (seconds_left >= 0) line += fmt::format("  {} left", duration_text(seconds_left));
  if (waiting_seconds >= 0) line += fmt::format("  next for {}", duration_text(waiting_seconds));
  if (summary.reward) line += fmt::format("  reward {:.3f}", *summary.reward);
  if (summary.solved) line += fmt::format("  solved {:.1f}%", 100 * *summary.solved);
  if (summary.effective_prompt_ratio) {
    line += fmt::format("  effective {:.0f}%", 100 * *summary.effective_prompt_ratio);
  }
  if (summary.tokens_per_second)
    line += fmt::format("  {} tok/s", count_text(*summary.tokens_per_second));
  if (!summary.detail.empty()) line += "  " + summary.detail;
  return line;
}

Progress::~Progress() {
  if (beating_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    ending_.notify_all();
    beating_.join();
  }
  leave_live_line();
}

void Progress::start_beating() {
  const bool is_heard = mode_ == ProgressMode::kTerminal || mode_ == ProgressMode::kLines;
  if (!beats_ || !is_heard || beating_.joinable()) return;
  beating_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; })) {
      lock.unlock();
      beat();
      lock.lock();
    }
  });
}

void Progress::begin_waiting() {
  since_ = now_();
  next_line_ = kFirstSilence;
}

void Progress::stage(std::string_view name) {
  start_beating();
  const std::lock_guard lock(mutex_);
  leave_live_line();
  stage_ = name;
  activity_.clear();
  recent_seconds_.clear();
  last_ = {};
  since_printed_ = 0;
  printed_ = false;
  works_ = true;
  begin_waiting();
  if (mode_ == ProgressMode::kJson) {
    print_line(dumped({{"event", "stage"}, {"stage", stage_}}));
  } else if (mode_ == ProgressMode::kTerminal) {
    redraw(stage_ + " …");
  } else if (mode_ == ProgressMode::kLines) {
    print_line(stage_ + " …");
  }
}

void Progress::step(const StepSummary& summary) {
  const std::lock_guard lock(mutex_);
  last_ = summary;
  activity_.clear();
  recent_seconds_.push_back(summary.step_seconds);
  if (recent_seconds_.size() > kRecentSteps) recent_seconds_.pop_front();
  since_printed_ += summary.step_seconds;
  begin_waiting();
  const std::string head = stage_.empty() ? "" : stage_ + ": ";
  switch (mode_) {
    case ProgressMode::kQuiet:
      return;
    case ProgressMode::kJson:
      return print_line(dumped(json_of(summary, stage_, seconds_left())));
    case ProgressMode::kTerminal:
      return redraw(head + progress_line(summary, seconds_left(), true));
    case ProgressMode::kLines:
      const bool last = summary.total_steps > 0 && summary.step >= summary.total_steps;
      if (printed_ && !last && since_printed_ < kSecondsBetweenLines) return;
      print_line(head + progress_line(summary, seconds_left(), false));
      printed_ = true;
      since_printed_ = 0;
  }
}

void Progress::activity(std::string_view text) {
  const std::lock_guard lock(mutex_);
  activity_ = text;
}

void Progress::remark(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (mode_ == ProgressMode::kQuiet) return;
  if (mode_ == ProgressMode::kJson)
    return print_line(dumped({{"event", "remark"}, {"text", text}}));
  if (live_line_) {
    out_ << kClearLine;  // the next beat draws the line again
    live_line_ = false;
  }
  print_line(text);
}

void Progress::note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (mode_ == ProgressMode::kJson) return print_line(dumped({{"event", "note"}, {"text", text}}));
  leave_live_line();
  print_line(text);
}

void Progress::beat() {
  const std::lock_guard lock(mutex_);
  const bool is_done = last_.total_steps > 0 && last_.step >= last_.total_steps;
  if (!works_ || is_done) return;
  const double waited = std::chrono::duration<double>(now_() - since_).count();
  const bool is_terminal = mode_ == ProgressMode::kTerminal;
  if (waited < (is_terminal ? 1 : next_line_)) return;
  std::string line = stage_;
  if (last_.step > 0) {
    const double left = seconds_left() < 0 ? -1 : std::max(0.0, seconds_left() - waited);
    line += ": " + progress_line(last_, left, is_terminal, waited);
  } else {
    line += fmt::format(" … {}", duration_text(waited));
  }
  if (!activity_.empty()) line += "  " + activity_;
  if (is_terminal) return redraw(line);
  if (mode_ != ProgressMode::kLines) return;
  print_line(line);
  next_line_ = std::min(2 * next_line_, next_line_ + kLongestSilence);
}

double Progress::seconds_left() const {
  if (last_.total_steps <= 0 || recent_seconds_.empty()) return -1;
  const double sum = std::accumulate(recent_seconds_.begin(), recent_seconds_.end(), 0.0);
  const double mean = sum / static_cast<double>(recent_seconds_.size());
  return mean * static_cast<double>(std::max<std::int64_t>(0, last_.total_steps - last_.step));
}

void Progress::print_line(std::string_view text) {
  out_ << text << '\n';
  out_.flush();
}

void Progress::redraw(std::string_view text) {
  out_ << kClearLine << shortened(text, width_() - 1);
  out_.flush();
  live_line_ = true;
}

void Progress::leave_live_line() {
  if (!live_line_) return;
  out_ << '\n';
  out_.flush();
  live_line_ = false;
}

}  // namespace redqueen::run
