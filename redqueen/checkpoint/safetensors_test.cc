#include "redqueen/checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

std::string with_header(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

std::string message(const std::filesystem::path& file) {
  const auto opened = SafetensorsFile::open(file);
  return opened ? "" : opened.error().message;
}

class SafetensorsTest : public testing::Test {
 protected:
  // Two tensors as a valid file.
  std::string valid() {
    const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    const std::string bytes = "abc";
    const std::filesystem::path file = scratch_ / "valid";
    EXPECT_TRUE(
        write_safetensors(file, {{"matrix", {"F32", {2, 3}, std::as_bytes(std::span(numbers))}},
                                 {"bytes", {"U8", {3}, std::as_bytes(std::span(bytes))}}}));
    return read_file(file);
  }

  std::string message_of(const std::string& bytes) {
    write_file(scratch_ / "file", bytes);
    return message(scratch_ / "file");
  }

  TestFolder scratch_;
};

TEST_F(SafetensorsTest, ReadsWhatItWrote) {
  valid();
  const auto file = SafetensorsFile::open(scratch_ / "valid");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_EQ(file->tensors().size(), 2u);
  const StoredTensor& matrix = file->tensors().at("matrix");
  EXPECT_EQ(matrix.dtype, "F32");
  EXPECT_EQ(matrix.shape, (std::vector<std::int64_t>{2, 3}));
  float last;
  std::memcpy(&last, matrix.bytes.data() + 20, 4);
  EXPECT_EQ(last, 6);
  EXPECT_EQ(static_cast<char>(file->tensors().at("bytes").bytes[1]), 'b');
}

TEST_F(SafetensorsTest, EveryTruncationIsNoticed) {
  const std::string bytes = valid();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THAT(message_of(bytes.substr(0, length)), HasSubstr((scratch_ / "file").string()));
  }
  EXPECT_NE(message_of(bytes + "x"), "");
}

TEST_F(SafetensorsTest, RandomDamageIsRefusedOrHarmless) {
  const std::string bytes = valid();
  Rng rng(RandomAddress{.seed = 31});
  for (int trial = 0; trial < 400; ++trial) {
    std::string damaged = bytes;
    for (std::int64_t i = rng.integer(1, 4); i > 0; --i) {
      damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    }
    write_file(scratch_ / "file", damaged);
    const auto opened = SafetensorsFile::open(scratch_ / "file");
    if (!opened) continue;
    for (const auto& [name, tensor] : opened->tensors()) {
      std::uint64_t needed = dtype_size(tensor.dtype);
      for (const std::int64_t size : tensor.shape) needed *= static_cast<std::uint64_t>(size);
      EXPECT_EQ(tensor.bytes.size(), needed);
    }
  }
}

TEST_F(SafetensorsTest, RandomBytesAreRefused) {
  Rng rng(RandomAddress{.seed = 32});
  for (int trial = 0; trial < 100; ++trial) {
    std::string bytes;
    for (std::int64_t i = rng.integer(0, 200); i > 0; --i)
      bytes += static_cast<char>(rng.below(256));
    EXPECT_NE(message_of(bytes), "");
  }
}

TEST_F(SafetensorsTest, SaysWhatIsWrong) {
  const std::string four(4, '\0'), eight(8, '\0');
  const auto entry = [](const char* dtype, const char* shape, const char* offsets) {
    return fmt::format(R"({{"a":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape,
                       offsets);
  };
  EXPECT_EQ(message_of(with_header(entry("F32", "[1]", "[0,4]"), four)), "");
  EXPECT_THAT(message_of("abc"), HasSubstr("too short"));
  EXPECT_THAT(message_of(std::string(8, '\xff')), HasSubstr("cut short"));
  EXPECT_THAT(message_of(with_header("[]", "")), HasSubstr("not a JSON object"));
  EXPECT_THAT(message_of(with_header(entry("F33", "[1]", "[0,4]"), four)), HasSubstr("F33"));
  EXPECT_THAT(message_of(with_header(entry("F32", "[2]", "[0,4]"), four)), HasSubstr("shape"));
  EXPECT_THAT(message_of(with_header(entry("F32", "[-1]", "[0,4]"), four)), HasSubstr("shape"));
  EXPECT_THAT(message_of(with_header(entry("F32", "[4611686018427387905]", "[0,4]"), four)),
              HasSubstr("shape"));
  EXPECT_THAT(message_of(with_header(entry("F32", "[1]", "[4,0]"), four)), HasSubstr("\"a\""));
  EXPECT_THAT(message_of(with_header(entry("F32", "[1]", "[0,99]"), four)), HasSubstr("only 4"));
  EXPECT_THAT(message_of(with_header(entry("F32", "[1]", "[4,8]"), eight)), HasSubstr("gaps"));
  EXPECT_THAT(message_of(with_header(std::string(200'000, '['), "")), HasSubstr("JSON"));
  EXPECT_THAT(message(scratch_ / "missing"), HasSubstr("cannot be mapped"));
  EXPECT_THAT(message(scratch_ / "."), HasSubstr("cannot be mapped"));
}

TEST_F(SafetensorsTest, EveryChangedNumberIsNoticed) {
  const std::string bytes = valid();
  ASSERT_TRUE(SafetensorsFile::open(scratch_ / "valid")->verify());
  const std::size_t data = bytes.size() - 27;  // six numbers and three bytes
  for (std::size_t at = data; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      write_file(scratch_ / "file", damaged);
      const Status verified = SafetensorsFile::open(scratch_ / "file")->verify();
      ASSERT_FALSE(verified) << "byte " << at;
      EXPECT_THAT(verified.error().message, HasSubstr("the file is damaged"));
    }
  }
  // The same numbers in the places of others.
  std::string swapped = bytes;
  std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(data),
                   swapped.begin() + static_cast<std::ptrdiff_t>(data) + 4,
                   swapped.begin() + static_cast<std::ptrdiff_t>(data) + 16);
  write_file(scratch_ / "file", swapped);
  EXPECT_FALSE(SafetensorsFile::open(scratch_ / "file")->verify());
  // Files of others have no such checksum.
  write_file(scratch_ / "file",
             with_header(R"({"__metadata__": {"format": "pt"}, "a": {"dtype": "U8", "shape": [1],
                            "data_offsets": [0, 1]}})",
                         "x"));
  EXPECT_TRUE(SafetensorsFile::open(scratch_ / "file")->verify());
}

// Only one tensor needs to be in memory at a time.
TEST_F(SafetensorsTest, TensorsAreAskedForOneAfterTheOther) {
  std::vector<std::byte> only;
  std::size_t asked = 0;
  const std::vector<TensorToWrite> tensors{{"a", "U8", {40}}, {"b", "U8", {0}}, {"c", "U8", {7}}};
  ASSERT_TRUE(write_safetensors(scratch_ / "file", tensors, [&](std::size_t i) {
    EXPECT_EQ(i, asked++);
    only.assign(static_cast<std::size_t>(tensors[i].shape[0]), std::byte(i + 1));
    return std::span<const std::byte>(only);
  }));
  const auto file = SafetensorsFile::open(scratch_ / "file");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->verify());
  EXPECT_EQ(file->tensors().at("a").bytes[39], std::byte(1));
  EXPECT_EQ(file->tensors().at("c").bytes[6], std::byte(3));
}

TEST_F(SafetensorsTest, APointerOfGitLfsIsCalledOne) {
  EXPECT_THAT(message_of("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n"),
              HasSubstr("git lfs pull"));
}

TEST_F(SafetensorsTest, FoldersMayBeSharded) {
  const auto open = [&](const std::string& index) {
    write_file(scratch_ / "model.safetensors.index.json", index);
    const auto folder = SafetensorsFolder::open(scratch_ / ".");
    return folder ? fmt::format("{} tensors", folder->tensors().size()) : folder.error().message;
  };
  EXPECT_THAT(SafetensorsFolder::open(scratch_ / ".").error().message, HasSubstr("neither"));
  const std::string number(4, '\0');
  for (const char* name : {"x", "y"}) {
    EXPECT_TRUE(write_safetensors(scratch_ / name,
                                  {{name, {"F32", {}, std::as_bytes(std::span(number))}}}));
  }
  EXPECT_EQ(open(R"({"weight_map": {"x": "x", "y": "y"}})"), "2 tensors");
  EXPECT_THAT(open(R"({"weight_map": {"x": "../x"}})"), HasSubstr("does not name a file"));
  EXPECT_THAT(open(R"({"weight_map": {"x": "z"}})"), HasSubstr("cannot be mapped"));
  EXPECT_THAT(open("{}"), HasSubstr("weight_map"));
  EXPECT_THAT(open("\xff{"), HasSubstr("weight_map"));
  std::filesystem::copy(scratch_ / "x", scratch_ / "x2");
  EXPECT_THAT(open(R"({"weight_map": {"x": "x", "y": "x2"}})"), HasSubstr("two of its files"));
}

}  // namespace
}  // namespace redqueen
