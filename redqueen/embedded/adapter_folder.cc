#include "redqueen/embedded/adapter_folder.h"

#include <memory>
#include <vector>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"
#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/model/lora.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnSettings = "redqueen.toml";

Expected<std::string> type_of(const fs::path& base) {
  ASSIGN_OR_RETURN(const auto stored, SafetensorsFolder::open(base));
  for (const auto& [name, tensor] : stored.tensors()) {
    if (tensor.dtype == "F32" || tensor.dtype == "F64") return "float32";
  }
  return "bfloat16";
}

Expected<std::unique_ptr<EmbeddedPolicy>> load(const fs::path& folder) {
  ASSIGN_OR_RETURN(const fs::path base, base_folder(folder));
  ASSIGN_OR_RETURN(const std::string dtype, type_of(base));
  return EmbeddedPolicy::load(folder, {.dtype = dtype});
}

// With what stands beside the weights.
Status save(const fs::path& folder, const EmbeddedPolicy& policy, const fs::path& out) {
  std::vector<CompanionFile> more;
  if (is_there(folder / kOwnSettings)) {
    ASSIGN_OR_RETURN(std::string text, read_text_file(folder / kOwnSettings));
    more.push_back({kOwnSettings, std::move(text)});
  }
  return save_checkpoint(out, policy.transformer(), policy.tokenizer(), more);
}

}  // namespace

Status adapt_policy(const fs::path& folder, const LoraConfig& config, std::uint64_t seed,
                    const fs::path& out) {
  ASSIGN_OR_RETURN(const auto policy, load(folder));
  RETURN_IF_ERROR(ensure_adapters(policy->transformer(), config, folder, seed));
  return save(folder, *policy, out);
}

Status merge_policy(const fs::path& folder, const fs::path& out) {
  if (!is_adapter_folder(folder)) {
    return usage_error(
        "{}: holds no adapters (adapter_config.json, adapter_model.safetensors), so there is "
        "nothing to merge.",
        folder.string());
  }
  ASSIGN_OR_RETURN(const auto policy, load(folder));
  merge_adapters(policy->transformer());
  return save(folder, *policy, out);
}

}  // namespace redqueen
