#include "redqueen/sandbox/wire.h"

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

namespace redqueen::sandbox::wire {
namespace {

constexpr std::uint32_t kMaxItems = 1U << 24;  // calls of a batch, names of a list

class Writer {
 public:
  explicit Writer(Kind kind) {
    bytes_.assign(kHeaderBytes, '\0');
    bytes_[4] = static_cast<char>(kind);
  }

  template <std::unsigned_integral T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF));
    }
  }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(bool value) { put(static_cast<std::uint8_t>(value)); }
  void put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  void put(const std::vector<std::string>& texts) {
    put(static_cast<std::uint32_t>(texts.size()));
    for (const auto& text : texts) put(std::string_view(text));
  }
  template <typename E>
    requires std::is_enum_v<E>
  void put(E value) {
    put(static_cast<std::uint8_t>(value));
  }

  std::string finish() {
    const std::uint64_t length = bytes_.size() - kHeaderBytes;
    for (std::size_t i = 0; i < 4; ++i) bytes_[i] = static_cast<char>(length >> (8 * i) & 0xFF);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

// Reads in order; after the first fault it returns zeros, and ok() is false for good.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <std::unsigned_integral T>
  T number() {
    if (bytes_.size() < sizeof(T)) return fail<T>();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(sizeof(T));
    return static_cast<T>(value);
  }
  double real() { return std::bit_cast<double>(number<std::uint64_t>()); }
  bool boolean() { return ranged<std::uint8_t>(1) != 0; }
  std::string_view view() {
    const auto length = number<std::uint32_t>();
    if (bytes_.size() < length) return fail<std::string_view>();
    const std::string_view text = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return text;
  }
  std::string text() { return std::string(view()); }
  // How many items follow, each of at least `item_bytes`; so a forged count cannot make us
  // allocate.
  std::uint32_t count(std::size_t item_bytes) {
    const auto items = number<std::uint32_t>();
    if (items > kMaxItems || items > bytes_.size() / item_bytes) return fail<std::uint32_t>();
    return items;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> result(count(4));
    for (auto& item : result) item = text();
    return result;
  }
  template <typename E>
  E ranged(E last) {
    const auto value = number<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) return fail<E>();
    return static_cast<E>(value);
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool finished() const { return ok_ && bytes_.empty(); }

 private:
  template <typename T>
  T fail() {
    ok_ = false;
    bytes_ = {};
    return T{};
  }

  std::string_view bytes_;
  bool ok_ = true;
};

void put(Writer& out, const Limits& limits) {
  for_each_limit([&](const auto& limit) {
    using Value = typename std::remove_cvref_t<decltype(limit)>::Value;
    if constexpr (std::is_floating_point_v<Value>) {
      out.put(limits.*limit.member);
    } else {
      out.put(static_cast<std::make_unsigned_t<Value>>(limits.*limit.member));
    }
  });
}

Limits limits(Reader& in) {
  Limits result;
  for_each_limit([&](const auto& limit) {
    using Value = typename std::remove_cvref_t<decltype(limit)>::Value;
    if constexpr (std::is_floating_point_v<Value>) {
      result.*limit.member = in.real();
    } else {
      result.*limit.member = static_cast<Value>(in.number<std::make_unsigned_t<Value>>());
    }
  });
  return result;
}

void put(Writer& out, const std::vector<File>& files) {
  out.put(static_cast<std::uint32_t>(files.size()));
  for (const File& file : files) {
    out.put(std::string_view(file.name));
    out.put(std::string_view(file.bytes));
  }
}

std::vector<File> files(Reader& in) {
  std::vector<File> result(in.count(8));
  for (File& file : result) {
    file.name = in.text();
    file.bytes = in.text();
  }
  return result;
}

void put(Writer& out, const Program& program) {
  out.put(program.preludes);
  out.put(std::string_view(program.source));
  out.put(std::string_view(program.input));
  out.put(program.hidden);
  out.put(std::string_view(program.profile.name));
  out.put(program.profile.allow_only);
  out.put(program.profile.modules);
  out.put(program.profile.attributes);
  out.put(program.profile.runtime);
  put(out, program.files);
  out.put(program.fetch);
  out.put(program.hash_seed);
  put(out, program.limits);
}

Program program(Reader& in) {
  Program result;
  result.preludes = in.texts();
  result.source = in.text();
  result.input = in.text();
  result.hidden = in.boolean();
  result.profile.name = in.text();
  result.profile.allow_only = in.boolean();
  result.profile.modules = in.texts();
  result.profile.attributes = in.texts();
  result.profile.runtime = in.ranged(Runtime::kData);
  result.files = files(in);
  result.fetch = in.texts();
  result.hash_seed = in.number<std::uint64_t>();
  result.limits = limits(in);
  return result;
}

void put(Writer& out, const Call& call) {
  out.put(call.kind);
  out.put(std::string_view(call.function));
  out.put(std::string_view(call.text));
}

Call call(Reader& in) {
  Call result;
  result.kind = in.ranged(Call::Kind::kJson);
  result.function = in.text();
  result.text = in.text();
  return result;
}

template <typename T>
std::optional<T> checked(const Reader& in, T value) {
  if (!in.finished()) return std::nullopt;
  return value;
}

}  // namespace

std::string encode(const Setup& setup) {
  Writer out(Kind::kSetup);
  out.put(setup.hash_seed);
  out.put(setup.use_namespaces);
  out.put(setup.use_landlock);
  out.put(std::string_view(setup.cgroup));
  out.put(std::string_view(setup.cgroup_note));
  out.put(setup.preload);
  out.put(setup.preludes);
  out.put(setup.runtime);
  out.put(std::string_view(setup.packages));
  return out.finish();
}

std::optional<Setup> decode_setup(std::string_view payload) {
  Reader in(payload);
  Setup setup;
  setup.hash_seed = in.number<std::uint64_t>();
  setup.use_namespaces = in.boolean();
  setup.use_landlock = in.boolean();
  setup.cgroup = in.text();
  setup.cgroup_note = in.text();
  setup.preload = in.texts();
  setup.preludes = in.texts();
  setup.runtime = in.ranged(Runtime::kData);
  setup.packages = in.text();
  return checked(in, std::move(setup));
}

std::string encode(const Ready& ready) {
  Writer out(Kind::kReady);
  out.put(static_cast<std::uint32_t>(ready.layers.size()));
  for (const auto& layer : ready.layers) {
    out.put(std::string_view(layer.name));
    out.put(layer.state);
    out.put(std::string_view(layer.why));
    out.put(std::string_view(layer.remedy));
  }
  out.put(std::string_view(ready.error));
  return out.finish();
}

std::optional<Ready> decode_ready(std::string_view payload) {
  Reader in(payload);
  Ready ready;
  ready.layers.resize(in.count(13));
  for (auto& layer : ready.layers) {
    layer.name = in.text();
    layer.state = in.ranged(LayerState::State::kUnavailable);
    layer.why = in.text();
    layer.remedy = in.text();
  }
  ready.error = in.text();
  return checked(in, std::move(ready));
}

std::string encode(const JobFrame& job) {
  Writer out(Kind::kJob);
  out.put(job.id);
  out.put(job.mode);
  out.put(job.strict);
  out.put(job.channel);
  put(out, job.program);
  out.put(static_cast<std::uint32_t>(job.calls.size()));
  for (const auto& call : job.calls) put(out, call);
  return out.finish();
}

std::optional<JobFrame> decode_job(std::string_view payload) {
  Reader in(payload);
  JobFrame job;
  job.id = in.number<std::uint64_t>();
  job.mode = in.ranged(Mode::kForks);
  job.strict = in.boolean();
  job.channel = in.boolean();
  job.program = program(in);
  job.calls.resize(in.count(9));
  for (auto& item : job.calls) item = call(in);
  return checked(in, std::move(job));
}

std::string encode_call(std::uint64_t id, const Call& call) {
  Writer out(Kind::kCall);
  out.put(id);
  put(out, call);
  return out.finish();
}

std::optional<std::pair<std::uint64_t, Call>> decode_call(std::string_view payload) {
  Reader in(payload);
  std::pair<std::uint64_t, Call> result;
  result.first = in.number<std::uint64_t>();
  result.second = call(in);
  return checked(in, std::move(result));
}

std::string encode_close(std::uint64_t id) {
  Writer out(Kind::kClose);
  out.put(id);
  return out.finish();
}

std::optional<std::uint64_t> decode_close(std::string_view payload) {
  Reader in(payload);
  const auto id = in.number<std::uint64_t>();
  return checked(in, id);
}

std::string encode_channel(std::uint64_t id) {
  Writer out(Kind::kChannel);
  out.put(id);
  return out.finish();
}

std::optional<std::uint64_t> decode_channel(std::string_view payload) {
  return decode_close(payload);
}

std::string encode(const Result& result) {
  Writer out(Kind::kResult);
  out.put(result.id);
  out.put(result.index);
  out.put(result.status);
  out.put(result.ended);
  for (const auto* text : {&result.message, &result.out, &result.err, &result.report}) {
    out.put(std::string_view(*text));
  }
  put(out, result.files);
  out.put(result.wall_seconds);
  out.put(result.cpu_seconds);
  out.put(result.peak_bytes);
  return out.finish();
}

std::optional<Result> decode_result(std::string_view payload) {
  Reader in(payload);
  Result result;
  result.id = in.number<std::uint64_t>();
  result.index = in.number<std::uint32_t>();
  result.status = in.ranged(OutcomeStatus::kCrashed);
  result.ended = in.boolean();
  for (auto* text : {&result.message, &result.out, &result.err, &result.report}) {
    *text = in.text();
  }
  result.files = files(in);
  result.wall_seconds = in.real();
  result.cpu_seconds = in.real();
  result.peak_bytes = in.number<std::uint64_t>();
  return checked(in, std::move(result));
}

std::string encode_loaded() { return Writer(Kind::kLoaded).finish(); }

std::string encode_report(Kind kind, std::uint64_t out_bytes, std::uint64_t err_bytes,
                          const Report& report) {
  Writer out(kind);
  out.put(out_bytes);
  out.put(err_bytes);
  out.put(report.status);
  for (const auto* text : {&report.value, &report.canonical, &report.json, &report.exception,
                           &report.message, &report.traceback}) {
    out.put(std::string_view(*text));
  }
  out.put(report.line);
  out.put(report.exit_code);
  out.put(report.wall_seconds);
  out.put(report.cpu_seconds);
  out.put(report.peak_bytes);
  return out.finish();
}

std::optional<Report> decode_report(std::string_view payload) {
  Reader in(payload);
  Report report;
  report.status = in.ranged(OutcomeStatus::kCrashed);
  for (auto* text : {&report.value, &report.canonical, &report.json, &report.exception,
                     &report.message, &report.traceback}) {
    *text = in.text();
  }
  report.line = in.number<std::uint32_t>();
  report.exit_code = in.number<std::uint32_t>();
  report.wall_seconds = in.real();
  report.cpu_seconds = in.real();
  report.peak_bytes = in.number<std::uint64_t>();
  return checked(in, std::move(report));
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> decode_marks(std::string_view payload) {
  if (payload.size() < kMarksBytes) return std::nullopt;
  Reader in(payload);
  const auto out_bytes = in.number<std::uint64_t>();
  const auto err_bytes = in.number<std::uint64_t>();
  return std::pair{out_bytes, err_bytes};
}

std::size_t payload_bytes(std::string_view header) {
  return Reader(header).number<std::uint32_t>();
}

Split split_frame(std::string_view buffer, std::size_t max_payload, Frame& frame) {
  if (buffer.size() < kHeaderBytes) return Split::kNeedMore;
  const std::size_t length = payload_bytes(buffer);
  const auto kind = static_cast<std::uint8_t>(buffer[kHeaderBytes - 1]);
  if (kind < static_cast<std::uint8_t>(Kind::kSetup) ||
      kind > static_cast<std::uint8_t>(Kind::kChannel) || length > max_payload) {
    return Split::kMalformed;
  }
  if (buffer.size() - kHeaderBytes < length) return Split::kNeedMore;
  frame = {static_cast<Kind>(kind), buffer.substr(kHeaderBytes, length), kHeaderBytes + length};
  return Split::kFrame;
}

}  // namespace redqueen::sandbox::wire
