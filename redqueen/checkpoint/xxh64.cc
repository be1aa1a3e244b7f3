#include "redqueen/checkpoint/xxh64.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // nothing to link
#include <xxhash.h>

namespace redqueen {

struct Xxh64::State {
  XXH64_state_t sum;
};

Xxh64::Xxh64() : state_(std::make_unique<State>()) { XXH64_reset(&state_->sum, 0); }
Xxh64::~Xxh64() = default;

void Xxh64::add(std::span<const std::byte> bytes) {
  XXH64_update(&state_->sum, bytes.data(), bytes.size());
}

std::uint64_t Xxh64::value() const { return XXH64_digest(&state_->sum); }

std::string Xxh64::text() const { return fmt::format("{:016x}", value()); }

}  // namespace redqueen
