#include "redqueen/run/export/event_file.h"

#include <array>
#include <bit>
#include <cstddef>

namespace redqueen::run {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0x82F63B78U : 0U);
    table[byte] = remainder;
  }
  return table;
}

// The sum of data that holds sums itself would be weak, so TensorFlow masks it.
std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U;
}

// Appends a number, least significant byte first.
template <typename Number>
void append_little_endian(std::string& out, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    out += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
}

// The wire format of protocol buffers, as far as events need it.
class Message {
 public:
  Message& integer(int field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  Message& real64(int field, double value) {
    key(field, 1);
    append_little_endian(data_, std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Message& real32(int field, float value) {
    key(field, 5);
    append_little_endian(data_, std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    data_ += value;
    return *this;
  }
  const std::string& data() const { return data_; }

 private:
  void key(int field, int wire_type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(wire_type));
  }
  void varint(std::uint64_t value) {
    for (; value > 0x7F; value >>= 7) data_ += static_cast<char>((value & 0x7F) | 0x80);
    data_ += static_cast<char>(value);
  }

  std::string data_;
};

std::string record(const Message& event) {
  const std::string& data = event.data();
  std::string out;
  append_little_endian(out, static_cast<std::uint64_t>(data.size()));
  append_little_endian(out, masked_crc(out));
  out += data;
  append_little_endian(out, masked_crc(data));
  return out;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t remainder = ~0U;
  for (const char c : bytes)
    remainder = (remainder >> 8) ^ kTable[(remainder ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~remainder;
}

std::string event_file_start(double time) {
  return record(Message().real64(1, time).bytes(3, "brain.Event:2"));
}

std::string event_file_scalars(double time, std::int64_t step,
                               std::span<const MetricValue> values) {
  Message summary;
  for (const MetricValue& value : values) {
    const Message scalar =
        Message().bytes(1, value.name).real32(2, static_cast<float>(value.value));
    summary.bytes(1, scalar.data());
  }
  return record(Message()
                    .real64(1, time)
                    .integer(2, static_cast<std::uint64_t>(step))
                    .bytes(5, summary.data()));
}

}  // namespace redqueen::run
