// Writes a run's metrics for other programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"
#include "redqueen/run/event_store.h"

namespace redqueen::run {

enum class MetricsFormat {
  kTensorBoard,  // a folder with an event file
  kCsv,          // a table: a line for each step, a column for each metric (RFC 4180)
  kJsonl,        // an object for each step
  kWandb,        // a run of Weights & Biases, recorded offline by its own Python
                 // package
};
inline constexpr auto kMetricsFormats =
    enum_names<MetricsFormat>({{"tensorboard", MetricsFormat::kTensorBoard},
                               {"csv", MetricsFormat::kCsv},
                               {"jsonl", MetricsFormat::kJsonl},
                               {"wandb", MetricsFormat::kWandb}});

// The metrics of one step.
struct MetricsRow {
  std::int64_t step = 0;                 // 0: before the first
  double time = 0;                       // its end, seconds since 1970
  double seconds = 0;                    // what it took
  std::vector<MetricValue> values = {};  // by name; finite
  bool operator==(const MetricsRow&) const = default;
};

// A run's rows by step: its metrics; "level/ENVIRONMENT" and "level/mean", the upper levels of the
// curriculum; "evaluation/SUITE" and "evaluation/SUITE/ENVIRONMENT", shares solved. Of a step that
// was evaluated twice the first evaluation counts. Fails if there is no run.
Expected<std::vector<MetricsRow>> metrics_of(const std::filesystem::path& run);

// The texts of the formats that are one. In both a line has "step", "time" and "seconds"; a metric
// that is called like one of them becomes "metric/NAME".
std::string to_csv(const std::vector<MetricsRow>& rows);
std::string to_jsonl(const std::vector<MetricsRow>& rows);

// The place of a run's numbers if nobody names one: RUN/tensorboard, RUN/metrics.csv, …
std::filesystem::path default_export_path(const std::filesystem::path& run, MetricsFormat format);

// The event file of an export for TensorBoard into `folder`, and its writer: the file is there
// whole or as it was.
std::filesystem::path event_file_path(const std::filesystem::path& folder);
Status write_event_file(const std::vector<MetricsRow>& rows, const std::filesystem::path& folder);

// Writes a run's numbers to `out`, a file or, for TensorBoard and W&B, a folder; what an earlier
// export left there is replaced, but W&B keeps what it recorded before. Weights & Biases needs the
// package `wandb` in the Python that `python3` is.
Status export_metrics(const std::filesystem::path& run, MetricsFormat format,
                      const std::filesystem::path& out);

}  // namespace redqueen::run
