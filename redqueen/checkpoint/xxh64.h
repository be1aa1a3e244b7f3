// XXH64, a fast checksum of 64 bits (Yann Collet, "xxHash fast digest algorithm", the specification
// of the format, with seed 0). It notices damage, not intent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace redqueen {

// Of all bytes that were added, in however many parts.
class Xxh64 {
 public:
  void add(std::span<const std::byte> bytes);

  std::uint64_t value() const;
  std::string text() const;  // sixteen hexadecimal digits, as the tool xxh64sum prints it

 private:
  static constexpr std::size_t kStripe = 32;  // bytes, eight of each lane

  void add_stripe(const std::byte* stripe);

  std::array<std::uint64_t, 4> lanes_ = {0x60EA27EEADC0B5D6, 0xC2B2AE3D27D4EB4F, 0,
                                         0x61C8864E7A143579};
  std::array<std::byte, kStripe> rest_ = {};  // less than a stripe
  std::size_t rest_size_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace redqueen
