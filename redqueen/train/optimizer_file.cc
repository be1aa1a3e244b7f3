#include "redqueen/train/optimizer_file.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/model/tensor_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhole = "trainer.safetensors";

std::string file_name(const Share& share) {
  return share.size == 1
             ? kWhole
             : fmt::format("trainer-{:05}-of-{:05}.safetensors", share.rank, share.size);
}

// How many processes wrote the state.
int processes_of(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t of = name.find("-of-");
    if (!name.starts_with("trainer-") || of == std::string::npos) continue;
    int size = 0;
    std::from_chars(name.data() + of + 4, name.data() + name.size(), size);
    if (size > 1) return size;
  }
  return 1;
}

// Checksums are compared once, by the processes together.
Expected<std::vector<SafetensorsFile>> open_files(const fs::path& folder, const Share& reader) {
  const int size = processes_of(folder);
  std::vector<SafetensorsFile> files;
  for (int rank = 0; rank < size; ++rank) {
    ASSIGN_OR_RETURN(auto file, SafetensorsFile::open(folder / file_name({rank, size})));
    if (rank % reader.size == reader.rank) RETURN_IF_ERROR(file.verify());
    files.push_back(std::move(file));
  }
  return files;
}

// Numbers [extent.begin, extent.begin + out.numel()) of a tensor that lies in these files, one
// slice after the other. out: float32 on the CPU, contiguous.
Status read_slices(const std::vector<SafetensorsFile>& files, const std::string& name,
                   const AdamW::Extent& extent, const at::Tensor& out) {
  std::int64_t place = 0;  // of the slice in the tensor
  auto* target = static_cast<std::byte*>(out.mutable_data_ptr());
  for (const SafetensorsFile& file : files) {
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end()) {
      return failure("the optimizer state lacks '{}'. It belongs to another model.", name);
    }
    const StoredTensor& stored = found->second;
    if (stored.dtype != "F32") {
      return failure("the optimizer state's '{}' has the type {} instead of F32.", name,
                     stored.dtype);
    }
    const auto count = static_cast<std::int64_t>(stored.bytes.size() / sizeof(float));
    const std::int64_t begin = std::clamp<std::int64_t>(extent.begin - place, 0, count);
    const std::int64_t end = std::clamp<std::int64_t>(extent.begin + out.numel() - place, 0, count);
    if (end > begin) {
      const std::size_t bytes = static_cast<std::size_t>(end - begin) * sizeof(float);
      std::memcpy(target, stored.bytes.data() + begin * sizeof(float), bytes);
      target += bytes;
    }
    place += count;
  }
  if (place == extent.numbers) return {};
  return failure("the optimizer state's '{}' has {} numbers, the model's {}.", name, place,
                 extent.numbers);
}

Status check_shape(const std::vector<SafetensorsFile>& files, const NamedTensor& entry) {
  if (files.size() > 1 || entry.tensor.dim() < 2) return {};
  const auto found = files[0].tensors().find(entry.name);
  if (found == files[0].tensors().end() ||
      at::IntArrayRef(found->second.shape) == entry.tensor.sizes()) {
    return {};
  }
  return failure("the optimizer state's '{}' has another shape than the model's.", entry.name);
}

}  // namespace

Status write_optimizer(const fs::path& folder, const AdamW& optimizer, const Share& share) {
  return write_tensors(folder / file_name(share), optimizer.state());
}

Expected<std::vector<NamedTensor>> read_optimizer(const fs::path& folder, const AdamW& optimizer,
                                                  const Share& share) {
  ASSIGN_OR_RETURN(const auto files, open_files(folder, share));
  const at::NoGradGuard no_grad;
  const std::vector<NamedTensor> own = optimizer.state();
  const std::vector<AdamW::Extent> extents = optimizer.extents();
  std::vector<NamedTensor> state;
  for (std::size_t i = 0; i < own.size(); ++i) {
    at::Tensor tensor = at::empty(own[i].tensor.sizes(), at::kFloat);
    Status read = check_shape(files, own[i]);
    if (read) read = read_slices(files, own[i].name, extents[i], tensor);
    if (!read) return failure("{}: {}", folder.string(), read.error().message);
    state.push_back({own[i].name, std::move(tensor)});
  }
  return state;
}

}  // namespace redqueen
