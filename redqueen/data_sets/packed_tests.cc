#include "redqueen/data_sets/packed_tests.h"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <optional>

#include "redqueen/base/base64.h"

namespace redqueen::data_sets {
namespace {

Expected<std::string> inflated(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return failure("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // only read
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 1 << 16> block;
  int state = Z_OK;
  while (state == Z_OK && text.size() <= kMaxUnpackedBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(block.data(), block.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (text.size() > kMaxUnpackedBytes)
    return failure("more than {} bytes when unpacked", kMaxUnpackedBytes);
  if (state != Z_STREAM_END) return failure("not compressed by zlib, or cut off");
  return text;
}

// Reads the instructions of pickle (Python's pickletools names them) that load one string.
class StringPickle {
 public:
  explicit StringPickle(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::string> read() {
    std::optional<std::string> text;
    while (!rest_.empty()) {
      switch (const auto code = static_cast<unsigned char>(take(1)[0]); code) {
        case 0x80:  // PROTO, version
        case 'q':   // BINPUT, index
          take(1);
          break;
        case 0x95:  // FRAME, length
          take(8);
          break;
        case 'r':  // LONG_BINPUT, index
          take(4);
          break;
        case 0x94:  // MEMOIZE
          break;
        case 0x8c:  // SHORT_BINUNICODE
        case 'X':   // BINUNICODE
        case 0x8d:  // BINUNICODE8
          if (text) return std::nullopt;
          text = std::string(take(number(code == 0x8c ? 1 : code == 'X' ? 4 : 8)));
          break;
        case '.':  // STOP
          return good_ && rest_.empty() ? text : std::nullopt;
        default:
          return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view take(std::uint64_t size) {
    good_ = good_ && size <= rest_.size();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // Little-endian.
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    int shift = 0;
    for (const char byte : take(size)) {
      value |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
      shift += 8;
    }
    return value;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

Expected<std::string> unpack_tests(std::string_view packed) {
  const auto bytes = from_base64(packed, Base64::kPadded);
  if (!bytes) return failure("not base64");
  ASSIGN_OR_RETURN(const std::string pickle, inflated(*bytes));
  auto text = StringPickle(pickle).read();
  if (!text) return failure("not a pickled string");
  return *std::move(text);
}

}  // namespace redqueen::data_sets
