// TensorBoard's event files: records of protocol buffers, written without either library.
//
// A record is the length of its data (8 bytes, little endian), the masked CRC32C of these 8 bytes,
// the data, and the masked CRC32C of the data (TensorFlow, core/lib/io/record_writer.h). The data
// of a record is an Event (core/util/event.proto): wall_time = 1, step = 2, file_version = 3,
// summary = 5; a Summary (core/framework/summary.proto) has values = 1 with tag = 1 and
// simple_value = 2.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "redqueen/run/event_store.h"

namespace redqueen::run {

// CRC-32C (Castagnoli) of some bytes, as RFC 3720 defines it.
std::uint32_t crc32c(std::string_view bytes);

// The record that an event file begins with. `time` in seconds since 1970.
std::string event_file_start(double time);

// A record with the values of one step, as float32. Values that are not finite stay what they are.
std::string event_file_scalars(double time, std::int64_t step, std::span<const MetricValue> values);

}  // namespace redqueen::run
