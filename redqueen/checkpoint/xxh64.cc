#include "redqueen/checkpoint/xxh64.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace redqueen {
namespace {

static_assert(std::endian::native == std::endian::little, "the digest reads little-endian words");

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5;

template <typename Word>
std::uint64_t word_at(const std::byte* place) {
  Word word;
  std::memcpy(&word, place, sizeof word);
  return word;
}

std::uint64_t mix_lane(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

std::uint64_t finish(std::uint64_t sum) {
  sum = (sum ^ (sum >> 33)) * kPrime2;
  sum = (sum ^ (sum >> 29)) * kPrime3;
  return sum ^ (sum >> 32);
}

}  // namespace

void Xxh64::add_stripe(const std::byte* stripe) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i] = mix_lane(lanes_[i], word_at<std::uint64_t>(stripe + i * sizeof(std::uint64_t)));
  }
}

void Xxh64::add(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (rest_size_ > 0) {
    const std::size_t count = std::min(bytes.size(), kStripe - rest_size_);
    std::copy_n(bytes.begin(), count, rest_.begin() + rest_size_);
    rest_size_ += count;
    bytes = bytes.subspan(count);
    if (rest_size_ < kStripe) return;
    add_stripe(rest_.data());
  }
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) add_stripe(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
  rest_size_ = bytes.size();
}

std::uint64_t Xxh64::value() const {
  std::uint64_t sum = kPrime5;
  if (size_ >= kStripe) {
    sum = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
          std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) sum = (sum ^ mix_lane(0, lane)) * kPrime1 + kPrime4;
  }
  sum += size_;
  const std::byte *place = rest_.data(), *end = place + rest_size_;
  for (; end - place >= 8; place += 8) {
    sum ^= mix_lane(0, word_at<std::uint64_t>(place));
    sum = std::rotl(sum, 27) * kPrime1 + kPrime4;
  }
  if (end - place >= 4) {
    sum ^= word_at<std::uint32_t>(place) * kPrime1;
    sum = std::rotl(sum, 23) * kPrime2 + kPrime3;
    place += 4;
  }
  for (; place < end; ++place) {
    sum = std::rotl(sum ^ (word_at<std::uint8_t>(place) * kPrime5), 11) * kPrime1;
  }
  return finish(sum);
}

std::string Xxh64::text() const { return fmt::format("{:016x}", value()); }

}  // namespace redqueen
