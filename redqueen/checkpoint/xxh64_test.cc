#include "redqueen/checkpoint/xxh64.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace redqueen {
namespace {

std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(i * 131 + 7));
  return bytes;
}

// What the Python package xxhash says of the same bytes: every way to end, with stripes and
// without.
TEST(Xxh64, AgreesWithTheReference) {
  const std::vector<std::pair<std::size_t, std::string_view>> expected = {
      {0, "ef46db3751d8e999"},   {1, "a96c7f0ce858bbb7"},   {3, "bed43740ee6332bb"},
      {4, "fa212ae44b3bb23d"},   {5, "d339dcc9ac8e6776"},   {8, "994b676b71ce94dd"},
      {11, "97f078da7a1a590c"},  {31, "6711d55e306b5d8f"},  {32, "07f7b8e3bc5d6e25"},
      {33, "09f85eeb4e1cbe9f"},  {63, "b7c9968c066cb6a5"},  {64, "50d4159a0411632e"},
      {100, "9ddada11d3dc2d8f"}, {1000, "0bf0bdbcc82eb373"}};
  for (const auto& [count, text] : expected) {
    Xxh64 sum;
    sum.add(some_bytes(count));
    EXPECT_EQ(sum.text(), text) << count << " bytes";
  }
}

TEST(Xxh64, PartsMakeTheSameWhole) {
  const std::vector<std::byte> bytes = some_bytes(150);
  Xxh64 whole;
  whole.add(bytes);
  for (std::size_t step = 1; step < 80; ++step) {
    Xxh64 sum;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      sum.add(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
    }
    EXPECT_EQ(sum.value(), whole.value()) << "in parts of " << step;
  }
}

}  // namespace
}  // namespace redqueen
