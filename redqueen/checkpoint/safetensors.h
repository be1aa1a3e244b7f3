// The safetensors format: eight bytes of header length, a JSON header that says where each tensor
// lies, the numbers. Files are memory-mapped; nothing is copied on opening. See the format's own
// documentation for the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// One tensor within a mapped file: row-major, little-endian.
struct StoredTensor {
  std::string dtype;  // "F32", "BF16", … as the file spells it
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;  // need not be aligned; valid while its file is open
};

// Bytes of one element of a dtype, 0 for one that the format does not have.
std::size_t dtype_size(const std::string& dtype);

class SafetensorsFile {
 public:
  // Fails, with the reason, for a file that is cut short, whose header is not what the format asks
  // for, or whose tensors overlap, leave gaps or reach beyond its end.
  static Expected<SafetensorsFile> open(const std::filesystem::path& file);

  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }

  // Reads all numbers, and fails if they are not those that the checksum in the header was made of.
  // A file without one, as others write it, passes.
  Status verify() const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<const void> mapping_;
  std::map<std::string, StoredTensor> tensors_;
  std::span<const std::byte> data_;
  std::string checksum_;  // empty: none
};

// All tensors of a checkpoint folder: model.safetensors, or the files that
// model.safetensors.index.json names.
class SafetensorsFolder {
 public:
  static Expected<SafetensorsFolder> open(const std::filesystem::path& folder);

  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }

  Status verify() const;  // of all its files

 private:
  std::vector<SafetensorsFile> files_;
  std::map<std::string, StoredTensor> tensors_;
};

// A tensor that is going to be written.
struct TensorToWrite {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
};

// Writes tensors in the order given, each aligned to its element. Names must differ. `bytes(i)`
// gives those of tensors[i], as many as its type and shape say; they need to last until the next
// call only, so that the whole never has to be in main memory. The header's metadata are `format:
// pt`, without which transformers refuses the file, and a checksum for SafetensorsFile::verify().
Status write_safetensors(const std::filesystem::path& file, std::span<const TensorToWrite> tensors,
                         const std::function<std::span<const std::byte>(std::size_t)>& bytes);

Status write_safetensors(const std::filesystem::path& file,
                         const std::vector<std::pair<std::string, StoredTensor>>& tensors);

}  // namespace redqueen
