#include "redqueen/train/tensor_file.h"

#include <ATen/ops/empty.h>

#include <cstring>
#include <string>
#include <utility>

#include "redqueen/checkpoint/safetensors.h"

namespace redqueen {

Status write_tensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors) {
  std::vector<at::Tensor> on_host;  // keeps the bytes alive
  std::vector<std::pair<std::string, StoredTensor>> stored;
  for (const NamedTensor& entry : tensors) {
    const at::Tensor& host = on_host.emplace_back(entry.tensor.detach().to(at::kCPU).contiguous());
    const auto* data = static_cast<const std::byte*>(host.const_data_ptr());
    stored.push_back({entry.name,
                      {.dtype = host.scalar_type() == at::kFloat ? "F32" : "BF16",
                       .shape = host.sizes().vec(),
                       .bytes = {data, host.nbytes()}}});
  }
  return write_safetensors(file, stored);
}

Expected<std::vector<NamedTensor>> read_tensors(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const auto opened, SafetensorsFile::open(file));
  std::vector<NamedTensor> tensors;
  for (const auto& [name, stored] : opened.tensors()) {
    if (stored.dtype != "F32" && stored.dtype != "BF16") {
      return failure("{}: tensor '{}' has the type {}; a trainer's state holds F32 and BF16 only.",
                     file.string(), name, stored.dtype);
    }
    at::Tensor tensor = at::empty(stored.shape, stored.dtype == "F32" ? at::kFloat : at::kBFloat16);
    if (!stored.bytes.empty()) {
      std::memcpy(tensor.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
    }
    tensors.push_back({name, std::move(tensor)});
  }
  return tensors;
}

}  // namespace redqueen
