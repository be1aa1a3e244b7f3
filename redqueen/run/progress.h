// Shows a user the progress of a run while it works.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace redqueen::run {

enum class ProgressMode {
  kTerminal,  // one line that is drawn again and again
  kLines,     // a plain line now and then, for logs
  kQuiet,     // nothing but what note() says
  kJson,      // one JSON object a line, every step
};

// kTerminal if the file descriptor is a terminal that can redraw a line, kLines otherwise.
ProgressMode detect_progress_mode(int file_descriptor);

// Columns of the terminal behind a file descriptor; 100 if it is none.
int terminal_width(int file_descriptor);

// One step as the user sees it. What is absent is not shown.
struct StepSummary {
  std::int64_t step = 0;         // done
  std::int64_t total_steps = 0;  // 0: not known
  double step_seconds = 0;       // what this step took
  std::optional<double> reward = {};
  std::optional<double> solved = {};                  // share, 0 … 1
  std::optional<double> effective_prompt_ratio = {};  // share, 0 … 1
  std::optional<double> tokens_per_second = {};
  std::string detail = "";  // anything short, at the end of the line ("levels 3–7", say)
};

// "48s", "3m12s", "2h05m", "4d03h". Negative or not finite: "?".
std::string duration_text(double seconds);

// "950", "12.3k", "4.6M".
std::string count_text(double count);

// One line without a line end, what is wanted most first. `seconds_left` < 0: not known.
// `waiting_seconds` < 0: the step was done just now; otherwise the time that the next one has taken
// so far.
std::string progress_line(const StepSummary& summary, double seconds_left, bool with_bar,
                          double waiting_seconds = -1);

// Writes progress to a stream, which must outlive it and which nobody else writes to while a stage
// lasts. While work goes on without a word, a thread of its own says so: on a terminal the line
// counts the seconds, a log gets a line after 5, 10, 20, 40 … seconds, later every five minutes.
// Calls are for one thread.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `width` is asked for each redrawn line: a terminal may have changed its size.
  Progress(
      std::ostream& out, ProgressMode mode, std::function<int()> width = [] { return 100; })
      : out_(out), mode_(mode), width_(std::move(width)) {}
  // For tests: time is what `now` says, and only beat() says that work goes on.
  Progress(std::ostream& out, ProgressMode mode, std::function<Clock::time_point()> now)
      : out_(out), mode_(mode), width_([] { return 100; }), now_(std::move(now)), beats_(false) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Names the present stage: "warm start", "evaluating", …. Shown until the next call; a new stage
  // starts a new line and a new estimate of the time left.
  void stage(std::string_view name);

  // A step is done. kLines prints the first, the last and one every ten seconds.
  void step(const StepSummary& summary);

  // Says in a few words what the step in hand is at: "12 of 128 responses". Shown while work goes
  // on, until the next step or stage; empty: nothing.
  void activity(std::string_view text);

  // A line about a part of the step, which stays, but not in kQuiet; in kJson an event "remark".
  void remark(std::string_view text);

  // A sentence that stays, in every mode.
  void note(std::string_view text);

  // Says that work goes on, if nothing was said for a while. Called by itself every second.
  void beat();

  // Seconds until the last step, from the mean of the last steps; −1 if not known.
  double seconds_left() const;

 private:
  void start_beating();
  void print_line(std::string_view text);
  void redraw(std::string_view text);
  void leave_live_line();
  void begin_waiting();

  std::ostream& out_;
  ProgressMode mode_;
  std::function<int()> width_;
  std::function<Clock::time_point()> now_ = [] { return Clock::now(); };
  bool beats_ = true;

  mutable std::mutex mutex_;  // of all that follows, and of the stream
  bool works_ = false;        // a stage has begun
  Clock::time_point since_;   // when the stage began or its last step was done
  double next_line_ = 0;      // seconds after since_ when a log gets its next line
  std::string stage_;
  std::string activity_;
  std::deque<double> recent_seconds_;
  StepSummary last_;
  double since_printed_ = 0;
  bool printed_ = false;    // a line of this stage
  bool live_line_ = false;  // the cursor stands at the end of a line to be redrawn

  bool ends_ = false;
  std::condition_variable ending_;
  std::thread beating_;
};

}  // namespace redqueen::run
