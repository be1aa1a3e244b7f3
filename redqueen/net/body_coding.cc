#include "redqueen/net/body_coding.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

#include "redqueen/base/ascii.h"

namespace redqueen::net {

BodyCoding coding_of(std::string_view header) {
  if (header.empty() || same_but_for_case(header, "identity")) return BodyCoding::kNone;
  const bool is_gzip = same_but_for_case(header, "gzip") || same_but_for_case(header, "x-gzip");
  return is_gzip ? BodyCoding::kGzip : BodyCoding::kUnknown;
}

UnpackedBody unpack_gzip(std::string_view packed, std::size_t most, std::size_t padding) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const auto refused = [](int status, std::string fault) {
    return UnpackedBody{.status = status, .fault = std::move(fault), .body = {}};
  };
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return refused(500, "zlib does not start");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  std::string piece(kPiece, '\0');
  UnpackedBody unpacked;
  int status = Z_OK;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  do {
    if (status == Z_STREAM_END && inflateReset(&stream) != Z_OK) break;  // the next member
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t count = piece.size() - stream.avail_out;
    if (unpacked.body.size() + count > most)
      return refused(413, fmt::format("the body unpacks to more than {} bytes", most));
    unpacked.body.append(piece, 0, count);
  } while (status == Z_OK || (status == Z_STREAM_END && stream.avail_in > 0));
  if (status != Z_STREAM_END) return refused(400, "the body is no gzip, or not all of it");
  unpacked.body.reserve(unpacked.body.size() + padding);
  return unpacked;
}

}  // namespace redqueen::net
