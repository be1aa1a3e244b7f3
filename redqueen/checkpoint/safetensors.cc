#include "redqueen/checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "redqueen/base/file_queries.h"
#include "redqueen/checkpoint/xxh64.h"

namespace redqueen {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors numbers are little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit
constexpr const char* kMetadata = "__metadata__";
constexpr const char* kChecksum = "xxh64";  // of all bytes behind the header

// [begin, end) in bytes after the header.
struct Extent {
  std::uint64_t begin;
  std::uint64_t end;
};

// nullopt if the product does not fit.
std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// The bytes that a tensor of this type and shape must have.
std::optional<std::uint64_t> byte_count(const StoredTensor& tensor) {
  std::optional<std::uint64_t> total = dtype_size(tensor.dtype);
  for (const std::int64_t size : tensor.shape) {
    if (total) total = multiply(*total, static_cast<std::uint64_t>(size));
  }
  return total;
}

bool is_size(const nlohmann::json& json) {
  return json.is_number_unsigned() &&
         json.get<std::uint64_t>() <=
             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

bool is_size_list(const nlohmann::json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), is_size);
}

// One entry of the header, checked against the bytes that there are.
Expected<std::pair<StoredTensor, Extent>> read_entry(const nlohmann::json& entry,
                                                     std::span<const std::byte> data) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets") || !entry["dtype"].is_string() ||
      !is_size_list(entry["shape"]) || !is_size_list(entry["data_offsets"]) ||
      entry["data_offsets"].size() != 2) {
    return failure("lacks a well-formed dtype, shape or data_offsets");
  }
  StoredTensor tensor;
  tensor.dtype = entry["dtype"].get<std::string>();
  tensor.shape = entry["shape"].get<std::vector<std::int64_t>>();
  if (dtype_size(tensor.dtype) == 0) return failure("has the unknown type {}", tensor.dtype);
  const Extent extent{entry["data_offsets"][0].get<std::uint64_t>(),
                      entry["data_offsets"][1].get<std::uint64_t>()};
  if (extent.begin > extent.end || extent.end > data.size()) {
    return failure("lies at bytes {} to {}, but there are only {}", extent.begin, extent.end,
                   data.size());
  }
  if (byte_count(tensor) != extent.end - extent.begin) {
    return failure("has {} bytes, which is not what its type and shape need",
                   extent.end - extent.begin);
  }
  tensor.bytes = data.subspan(extent.begin, extent.end - extent.begin);
  return std::pair(std::move(tensor), extent);
}

// The format wants tensors to cover the data without gap or overlap.
bool covers(std::vector<Extent> extents, std::uint64_t size) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t reached = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != reached) return false;
    reached = extent.end;
  }
  return reached == size;
}

// The header's text and the data behind it.
Expected<std::pair<std::string_view, std::span<const std::byte>>> split(
    std::span<const std::byte> bytes) {
  constexpr std::string_view kPointer = "version https://git-lfs";
  if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
          .starts_with(kPointer)) {
    return failure("it only points to a file that Git LFS has; fetch that by `git lfs pull`");
  }
  if (bytes.size() < kLengthBytes) return failure("it is too short to hold a header");
  std::uint64_t length;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kLongestHeader || length > bytes.size() - kLengthBytes) {
    return failure("its header claims {} bytes, more than the file has; it may be cut short",
                   length);
  }
  const auto text = bytes.subspan(kLengthBytes, length);
  return std::pair(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()),
                   bytes.subspan(kLengthBytes + length));
}

struct Contents {
  std::map<std::string, StoredTensor> tensors;
  std::span<const std::byte> data;  // all of them
  std::string checksum;             // of data; empty: the file has none
};

// Empty where the metadata have no checksum.
std::string checksum_in(const nlohmann::json& metadata) {
  if (!metadata.is_object()) return {};
  const auto found = metadata.find(kChecksum);
  return found != metadata.end() && found->is_string() ? found->get<std::string>() : "";
}

Expected<Contents> read_contents(std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto parts, split(bytes));
  const nlohmann::json header =
      nlohmann::json::parse(parts.first, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return failure("its header is not a JSON object");
  Contents contents{.data = parts.second};
  std::vector<Extent> extents;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      contents.checksum = checksum_in(entry);
      continue;
    }
    auto read = read_entry(entry, parts.second);
    if (!read) return failure("tensor \"{}\" {}", name, read.error().message);
    extents.push_back(read->second);
    contents.tensors.emplace(name, std::move(read->first));
  }
  if (!covers(std::move(extents), parts.second.size())) {
    return failure(
        "its tensors overlap, leave gaps or are fewer than its bytes; it may be damaged");
  }
  return contents;
}

Expected<std::set<std::string>> indexed_files(const std::filesystem::path& index) {
  std::ifstream stream(index, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  const bool usable = json.is_object() && json.contains("weight_map") &&
                      json["weight_map"].is_object() && !json["weight_map"].empty();
  if (!usable) return failure("{}: has no \"weight_map\"; the file is damaged.", index.string());
  std::set<std::string> files;
  for (const auto& [name, file] : json["weight_map"].items()) {
    // A shard lies beside its index; a path that leads elsewhere is not one.
    if (!file.is_string() ||
        std::filesystem::path(file.get<std::string>()).filename() != file.get<std::string>()) {
      return failure("{}: \"{}\" does not name a file of this folder.", index.string(), name);
    }
    files.insert(file.get<std::string>());
  }
  return files;
}

}  // namespace

std::size_t dtype_size(const std::string& dtype) {
  static const std::map<std::string, std::size_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
      {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
      {"U32", 4},  {"F32", 4}, {"I64", 8}, {"U64", 8},     {"F64", 8}};
  const auto found = sizes.find(dtype);
  return found == sizes.end() ? 0 : found->second;
}

Expected<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& file) {
  namespace ipc = boost::interprocess;
  std::shared_ptr<ipc::mapped_region> region;
  try {
    const ipc::file_mapping mapping(file.c_str(), ipc::read_only);
    region = std::make_shared<ipc::mapped_region>(mapping, ipc::read_only);
  } catch (const ipc::interprocess_exception& error) {
    return failure("{}: cannot be mapped into memory ({}).", file.string(), error.what());
  }
  const std::span bytes(static_cast<const std::byte*>(region->get_address()), region->get_size());
  auto contents = read_contents(bytes);
  if (!contents) {
    return failure("{}: is not a usable safetensors file: {}.", file.string(),
                   contents.error().message);
  }
  SafetensorsFile result;
  result.path_ = file;
  result.mapping_ = std::move(region);
  result.tensors_ = std::move(contents->tensors);
  result.data_ = contents->data;
  result.checksum_ = std::move(contents->checksum);
  return result;
}

Status SafetensorsFile::verify() const {
  if (checksum_.empty()) return {};
  Xxh64 sum;
  sum.add(data_);
  if (sum.text() == checksum_) return {};
  return failure(
      "{}: its numbers have the checksum {}, but {} was noted when they were written: the file is "
      "damaged. Use another checkpoint.",
      path_.string(), sum.text(), checksum_);
}

Status SafetensorsFolder::verify() const {
  for (const SafetensorsFile& file : files_) RETURN_IF_ERROR(file.verify());
  return {};
}

Expected<SafetensorsFolder> SafetensorsFolder::open(const std::filesystem::path& folder) {
  std::set<std::string> names;
  const auto index = folder / "model.safetensors.index.json";
  if (is_there(folder / "model.safetensors")) {
    names.insert("model.safetensors");
  } else if (is_there(index)) {
    ASSIGN_OR_RETURN(auto listed, indexed_files(index));
    names = std::move(listed);
  } else {
    return usage_error("{}: holds neither model.safetensors nor model.safetensors.index.json.",
                       folder.string());
  }
  SafetensorsFolder result;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(auto file, SafetensorsFile::open(folder / name));
    for (const auto& [tensor, stored] : file.tensors()) {
      if (!result.tensors_.emplace(tensor, stored).second) {
        return failure("{}: tensor \"{}\" is in two of its files.", folder.string(), tensor);
      }
    }
    result.files_.push_back(std::move(file));
  }
  return result;
}

Status write_safetensors(const std::filesystem::path& file, std::span<const TensorToWrite> tensors,
                         const std::function<std::span<const std::byte>(std::size_t)>& bytes) {
  nlohmann::ordered_json header;
  header[kMetadata] = {{"format", "pt"}, {kChecksum, Xxh64().text()}};
  std::uint64_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    const std::uint64_t size = byte_count({tensor.dtype, tensor.shape, {}}).value_or(0);
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::ofstream stream(file, std::ios::binary);
  // Twice: the checksum, whose place is as long as itself, is known when the numbers are written.
  const auto write_header = [&] {
    std::string text = header.dump();
    text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
    const std::uint64_t length = text.size();
    stream.write(reinterpret_cast<const char*>(&length), sizeof length);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  };
  write_header();
  Xxh64 sum;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::span<const std::byte> data = bytes(i);
    sum.add(data);
    stream.write(reinterpret_cast<const char*>(data.data()),
                 static_cast<std::streamsize>(data.size()));
  }
  header[kMetadata][kChecksum] = sum.text();
  stream.seekp(0);
  write_header();
  if (!stream.flush()) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

Status write_safetensors(const std::filesystem::path& file,
                         const std::vector<std::pair<std::string, StoredTensor>>& tensors) {
  std::vector<TensorToWrite> entries;
  for (const auto& [name, tensor] : tensors) entries.push_back({name, tensor.dtype, tensor.shape});
  return write_safetensors(file, entries, [&](std::size_t i) { return tensors[i].second.bytes; });
}

}  // namespace redqueen
