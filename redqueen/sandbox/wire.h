// The bytes between host and worker, and between worker and child. Both ends distrust what they
// read: every length is checked, every enumeration is ranged, trailing bytes are an error.
//
// A frame is a u32 length of its payload, a u8 kind, the payload. Integers are little-endian.
//   host → worker    setup, job, call, close
//   worker → host    ready, result, channel (with a descriptor)
//   worker → child   job, call
//   child → worker   loaded (empty), and load_failed or report: u64 bytes of stdout so far, u64
//                    bytes of stderr so far, then a Report that the worker passes on unread
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/sandbox/job.h"
#include "redqueen/sandbox/layers.h"

namespace redqueen::sandbox::wire {

enum class Kind : std::uint8_t {
  kSetup = 1,
  kJob,
  kCall,
  kClose,
  kReady,
  kResult,
  kReport,
  kLoaded,
  kLoadFailed,
  kChannel,
};

inline constexpr std::size_t kHeaderBytes = 5;
inline constexpr std::uint32_t kMaxFrameBytes = 1U << 30;
inline constexpr std::size_t kMarksBytes = 16;

// The preparation of a worker.
struct Setup {
  std::uint64_t hash_seed = 0;
  bool use_namespaces = true;
  bool use_landlock = true;
  std::string cgroup;  // already made, the worker is in it; empty: none
  std::string cgroup_note;
  std::vector<std::string> preload;
  std::vector<std::string> preludes;
  Runtime runtime = Runtime::kPlain;
  std::string packages;  // Runtime::kData: the folder that numpy lies in
};

// A worker's message once it is prepared.
struct Ready {
  std::vector<LayerState> layers;
  std::string error;  // empty: it takes jobs
};

enum class Mode : std::uint8_t {
  kBatch,    // the calls come with the job
  kSession,  // they come later, one at a time
  kCompare,  // no program: each call's function and text are the two sides
  kForks,    // no program: as many bare forks as there are calls, to be timed
};

struct JobFrame {
  std::uint64_t id = 0;
  Mode mode = Mode::kBatch;
  bool strict = false;   // kCompare
  bool channel = false;  // kSession, of a runtime with files: the child keeps descriptor 4
  Program program;
  std::vector<Call> calls;
};

// A child's report of a call.
struct Report {
  OutcomeStatus status = OutcomeStatus::kCrashed;
  std::string value, canonical, json, exception, message, traceback;
  std::uint32_t line = 0;
  std::uint32_t exit_code = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
};

// A worker's result of a call. `report` is the child's payload, unread; empty if the child gave
// none.
struct Result {
  std::uint64_t id = 0;
  std::uint32_t index = 0;
  OutcomeStatus status = OutcomeStatus::kOk;  // kOk: as the report says
  bool ended = false;                         // the child is gone (a session is over)
  std::string message, out, err, report;
  std::vector<File> files;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
};

// Each returns a whole frame.
std::string encode(const Setup& setup);
std::string encode(const Ready& ready);
std::string encode(const JobFrame& job);
std::string encode(const Result& result);
std::string encode_call(std::uint64_t id, const Call& call);
std::string encode_close(std::uint64_t id);
std::string encode_channel(std::uint64_t id);  // a descriptor goes with its first byte
// `kind`: kReport or kLoadFailed.
std::string encode_report(Kind kind, std::uint64_t out_bytes, std::uint64_t err_bytes,
                          const Report& report);
std::string encode_loaded();

// Each reads a payload; nullopt: malformed.
std::optional<Setup> decode_setup(std::string_view payload);
std::optional<Ready> decode_ready(std::string_view payload);
std::optional<JobFrame> decode_job(std::string_view payload);
std::optional<Result> decode_result(std::string_view payload);
std::optional<std::pair<std::uint64_t, Call>> decode_call(std::string_view payload);
std::optional<std::uint64_t> decode_close(std::string_view payload);
std::optional<std::uint64_t> decode_channel(std::string_view payload);
std::optional<Report> decode_report(std::string_view payload);  // without the two marks
// The two marks that stand before a report.
std::optional<std::pair<std::uint64_t, std::uint64_t>> decode_marks(std::string_view payload);

struct Frame {
  Kind kind = Kind::kSetup;
  std::string_view payload;  // into the buffer that was split
  std::size_t size = 0;      // bytes of the whole frame
};
// Returns the size of the payload that a header of kHeaderBytes announces: 0 … 2^32 − 1.
std::size_t payload_bytes(std::string_view header);
enum class Split { kFrame, kNeedMore, kMalformed };
// The first frame of `buffer`, of at most `max_payload` bytes.
Split split_frame(std::string_view buffer, std::size_t max_payload, Frame& frame);

}  // namespace redqueen::sandbox::wire
