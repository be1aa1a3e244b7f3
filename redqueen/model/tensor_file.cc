#include "redqueen/model/tensor_file.h"

#include <ATen/ops/empty.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "redqueen/checkpoint/safetensors.h"

namespace redqueen {

Status write_tensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors) {
  std::vector<TensorToWrite> entries;
  for (const auto& [name, tensor] : tensors) {
    entries.push_back(
        {name, tensor.scalar_type() == at::kFloat ? "F32" : "BF16", tensor.sizes().vec()});
  }
  at::Tensor host;  // keeps the bytes alive, of one tensor at a time
  return write_safetensors(file, entries, [&](std::size_t i) {
    host = tensors[i].tensor.detach().to(at::kCPU).contiguous();
    return std::span(static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes());
  });
}

Expected<std::vector<NamedTensor>> read_tensors(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const auto opened, SafetensorsFile::open(file));
  RETURN_IF_ERROR(opened.verify());
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

Expected<std::vector<at::Tensor>> matching_tensors(std::span<const NamedTensor> saved,
                                                   std::span<const NamedTensor> parameters,
                                                   const std::filesystem::path& file) {
  std::map<std::string_view, at::Tensor> by_name;
  for (const NamedTensor& entry : saved) by_name[entry.name] = entry.tensor;
  std::vector<at::Tensor> result;
  for (const NamedTensor& parameter : parameters) {
    const auto found = by_name.find(parameter.name);
    if (found == by_name.end() || found->second.sizes() != parameter.tensor.sizes() ||
        found->second.scalar_type() != parameter.tensor.scalar_type()) {
      return failure(
          "{}: parameter '{}' is missing, or of another shape or type than the model's. The state "
          "was saved from another model.",
          file.string(), parameter.name);
    }
    result.push_back(found->second);
  }
  return result;
}

}  // namespace redqueen
