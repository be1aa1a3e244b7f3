// XXH64, a fast checksum of 64 bits (Yann Collet, "xxHash fast digest algorithm"), with seed 0. It
// notices damage, not intent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace redqueen {

// Hashes all bytes that were added, in however many parts.
class Xxh64 {
 public:
  Xxh64();
  ~Xxh64();

  void add(std::span<const std::byte> bytes);

  std::uint64_t value() const;
  std::string text() const;  // sixteen hexadecimal digits, as the tool xxh64sum prints it

 private:
  struct State;  // xxhash.h's
  std::unique_ptr<State> state_;
};

}  // namespace redqueen
