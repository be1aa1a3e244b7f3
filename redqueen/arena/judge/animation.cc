#include "redqueen/arena/judge/animation.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string_view>

namespace redqueen::arena {
namespace {

constexpr std::size_t kColours = 3;
constexpr int kLastMilliseconds = 2000;

struct Rectangle {
  std::size_t x = 0;
  std::size_t y = 0;
  std::size_t width = 0;
  std::size_t height = 0;
};

std::size_t height_of(const Array& picture) { return static_cast<std::size_t>(picture.shape[0]); }
std::size_t width_of(const Array& picture) { return static_cast<std::size_t>(picture.shape[1]); }

const std::uint8_t* pixel(const Array& picture, std::size_t x, std::size_t y) {
  return picture.elements<std::uint8_t>().data() + (y * width_of(picture) + x) * kColours;
}

Rectangle all_of(const Array& picture) {
  return {.width = width_of(picture), .height = height_of(picture)};
}

// The least rectangle outside of which the two are alike; one pixel where they are alike all over.
Rectangle changed_part(const Array& before, const Array& after) {
  std::size_t left = width_of(after);
  std::size_t right = 0;
  std::size_t top = height_of(after);
  std::size_t bottom = 0;
  for (std::size_t y = 0; y < height_of(after); ++y) {
    for (std::size_t x = 0; x < width_of(after); ++x) {
      if (std::equal(pixel(after, x, y), pixel(after, x, y) + kColours, pixel(before, x, y))) {
        continue;
      }
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = y;
    }
  }
  if (left > right) return {.width = 1, .height = 1};
  return {.x = left, .y = top, .width = right - left + 1, .height = bottom - top + 1};
}

void append_big_endian(std::uint32_t number, std::string& bytes) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(number >> shift));
}

void append_big_endian(std::size_t number, std::string& bytes) {
  append_big_endian(static_cast<std::uint32_t>(number), bytes);
}

// Length, name, content, and the checksum of the last two (section 5.3).
void append_chunk(std::string_view name, std::string_view content, std::string& png) {
  append_big_endian(content.size(), png);
  const std::size_t begin = png.size();
  png += name;
  png += content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(png.data() + begin),
                         static_cast<uInt>(png.size() - begin));
  append_big_endian(static_cast<std::uint32_t>(sum), png);
}

// The rows of a part, each after a 0 for "no filter", compressed (sections 9 and 10).
std::string image_data(const Array& picture, const Rectangle& part) {
  std::string rows;
  rows.reserve(part.height * (1 + part.width * kColours));
  for (std::size_t y = part.y; y < part.y + part.height; ++y) {
    rows.push_back('\0');
    rows.append(reinterpret_cast<const char*>(pixel(picture, part.x, y)), part.width * kColours);
  }
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  [[maybe_unused]] const int result =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(rows.data()), rows.size(), Z_DEFAULT_COMPRESSION);
  assert(result == Z_OK);  // the bound suffices
  packed.resize(size);
  return packed;
}

// Where and for how long a frame is shown (section 11.3.6.2): it replaces what was there and stays.
std::string frame_control(std::uint32_t sequence, const Rectangle& part, int milliseconds) {
  std::string content;
  append_big_endian(sequence, content);
  for (const std::size_t number : {part.width, part.height, part.x, part.y}) {
    append_big_endian(number, content);
  }
  // The time is a fraction of two 16-bit numbers; then how it is disposed of and blended.
  append_big_endian(static_cast<std::uint32_t>(milliseconds) << 16 | 1000U, content);
  content.append(2, '\0');
  return content;
}

}  // namespace

Array shrunk(const Array& picture, std::int64_t most) {
  assert(most > 0);
  const std::int64_t factor = (picture.shape[1] + most - 1) / most;
  if (factor <= 1) return picture;
  Array small = Array::zeros(ElementType::kUint8,
                             {std::max<std::int64_t>(picture.shape[0] / factor, 1),
                              picture.shape[1] / factor, static_cast<std::int64_t>(kColours)});
  const auto side = static_cast<std::size_t>(factor);
  const std::size_t rows = std::min(side, height_of(picture));
  std::uint8_t* out = small.elements<std::uint8_t>().data();
  for (std::size_t y = 0; y < height_of(small); ++y) {
    for (std::size_t x = 0; x < width_of(small); ++x) {
      for (std::size_t colour = 0; colour < kColours; ++colour) {
        std::size_t sum = 0;
        for (std::size_t dy = 0; dy < rows; ++dy) {
          for (std::size_t dx = 0; dx < side; ++dx) {
            sum += pixel(picture, x * side + dx, y * side + dy)[colour];
          }
        }
        *out++ = static_cast<std::uint8_t>(sum / (rows * side));
      }
    }
  }
  return small;
}

std::string animated_png(std::span<const Array> pictures, int milliseconds) {
  assert(!pictures.empty() && milliseconds > 0 && milliseconds < 65'536);
  std::string png = "\x89PNG\r\n\x1a\n";
  std::string header;
  append_big_endian(width_of(pictures[0]), header);
  append_big_endian(height_of(pictures[0]), header);
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits a colour, three colours
  append_chunk("IHDR", header, png);
  std::string frames;
  append_big_endian(pictures.size(), frames);
  append_big_endian(std::uint32_t{0}, frames);  // again and again
  append_chunk("acTL", frames, png);
  std::uint32_t sequence = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    assert(pictures[i].shape == pictures[0].shape);
    const Rectangle part =
        i == 0 ? all_of(pictures[0]) : changed_part(pictures[i - 1], pictures[i]);
    const bool last = i + 1 == pictures.size();
    append_chunk("fcTL", frame_control(sequence++, part, last ? kLastMilliseconds : milliseconds),
                 png);
    std::string content;
    if (i > 0) append_big_endian(sequence++, content);
    append_chunk(i == 0 ? "IDAT" : "fdAT", content + image_data(pictures[i], part), png);
  }
  append_chunk("IEND", "", png);
  return png;
}

}  // namespace redqueen::arena
