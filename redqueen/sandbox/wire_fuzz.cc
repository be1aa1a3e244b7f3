// libFuzzer target: both directions of the wire. Build with -DREDQUEEN_FUZZ=ON and Clang:
//   build-fuzz/sandbox_wire_fuzz -max_len=4096 -max_total_time=60
// The first byte chooses who reads: a worker what a child sent, or the host what a worker sent, or
// one of them a stream.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "redqueen/sandbox/outcome_text.h"
#include "redqueen/sandbox/wire.h"

namespace {

using namespace redqueen::sandbox;

// A payload that decodes must encode to a frame that decodes to the same bytes again.
template <typename Message, typename Decode>
void check_round_trip(const std::optional<Message>& message, Decode decode) {
  if (!message) return;
  const std::string frame = wire::encode(*message);
  const auto again = decode(std::string_view(frame).substr(wire::kHeaderBytes));
  if (!again || wire::encode(*again) != frame) std::abort();
}

void read_stream(std::string_view bytes) {
  for (;;) {
    wire::Frame frame;
    if (wire::split_frame(bytes, 1U << 16, frame) != wire::Split::kFrame) return;
    if (frame.size > bytes.size() || frame.size < wire::kHeaderBytes) std::abort();
    bytes.remove_prefix(frame.size);
  }
}

void read_as_host(std::string_view bytes) {
  check_round_trip(wire::decode_ready(bytes), wire::decode_ready);
  const auto result = wire::decode_result(bytes);
  check_round_trip(result, wire::decode_result);
  if (result) make_outcome(*result, 1 << 20);
  // What a child sent, as the host finds it inside a result.
  wire::Result carrier;
  carrier.report = bytes;
  const Outcome outcome = make_outcome(carrier, 1 << 20);
  if (!outcome.json.empty() && !is_sound_json(outcome.json)) std::abort();
  if (valid_utf8(outcome.value) != outcome.value) std::abort();
}

void read_as_worker(std::string_view bytes) {
  check_round_trip(wire::decode_setup(bytes), wire::decode_setup);
  check_round_trip(wire::decode_job(bytes), wire::decode_job);
  wire::decode_call(bytes);
  wire::decode_close(bytes);
  wire::decode_marks(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 0) read_stream(bytes);
  if (data[0] % 3 == 1) read_as_host(bytes);
  if (data[0] % 3 == 2) read_as_worker(bytes);
  return 0;
}
