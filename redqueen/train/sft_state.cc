#include "redqueen/train/sft_state.h"

#include <ATen/core/grad_mode.h>

#include <fstream>
#include <map>
#include <string_view>
#include <vector>

#include "redqueen/core/fields.h"
#include "redqueen/core/text_file.h"
#include "redqueen/model/lora.h"
#include "redqueen/train/replace_folder.h"
#include "redqueen/train/tensor_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParameters = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kCounters = "counters.json";

// The form of the counters on disk.
struct CountersFile {
  std::string work;
  std::int64_t updates = 0;
  double first_loss = 0;

  REDQUEEN_FIELDS(work, updates, first_loss)
};

Status write_counters(const fs::path& file, const SftCounters& counters) {
  std::ofstream out(file);
  out << dump_json(to_json(CountersFile{counters.work, counters.updates, counters.first_loss}))
      << '\n';
  out.close();
  if (!out) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

Expected<SftCounters> read_counters(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file));
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  ASSIGN_OR_RETURN(const auto read, from_json<CountersFile>(json));
  if (read.updates < 0) return failure("a negative number of updates");
  return SftCounters{read.work, read.updates, read.first_loss};
}

using ByName = std::map<std::string_view, at::Tensor>;

// The saved tensor of every parameter, in their order.
Expected<std::vector<at::Tensor>> match(const std::vector<NamedTensor>& saved,
                                        const std::vector<NamedTensor>& parameters) {
  ByName by_name;
  for (const NamedTensor& entry : saved) by_name[entry.name] = entry.tensor;
  std::vector<at::Tensor> result;
  for (const NamedTensor& parameter : parameters) {
    const auto found = by_name.find(parameter.name);
    if (found == by_name.end() || found->second.sizes() != parameter.tensor.sizes() ||
        found->second.scalar_type() != parameter.tensor.scalar_type()) {
      return failure("it was saved from another model (parameter \"{}\")", parameter.name);
    }
    result.push_back(found->second);
  }
  return result;
}

Expected<SftCounters> load(const fs::path& folder, const Transformer& transformer,
                           const std::string& work, AdamW& optimizer) {
  ASSIGN_OR_RETURN(auto counters, read_counters(folder / kCounters));
  if (counters.work != work) return failure("it was saved from other texts or settings");
  ASSIGN_OR_RETURN(const auto saved, read_tensors(folder / kParameters));
  ASSIGN_OR_RETURN(const auto state, read_tensors(folder / kOptimizer));
  const std::vector<NamedTensor> parameters = trained_parameters(transformer);
  ASSIGN_OR_RETURN(const auto values, match(saved, parameters));
  RETURN_IF_ERROR(optimizer.load_state(state, counters.updates));
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].tensor.copy_(values[i]);
  optimizer.reread_parameters();
  return counters;
}

}  // namespace

Status save_sft_state(const fs::path& folder, const Transformer& transformer,
                      const AdamW& optimizer, const SftCounters& counters) {
  return replace_folder(folder, [&](const fs::path& partial) -> Status {
    RETURN_IF_ERROR(write_tensors(partial / kParameters, trained_parameters(transformer)));
    RETURN_IF_ERROR(write_tensors(partial / kOptimizer, optimizer.state()));
    return write_counters(partial / kCounters, counters);
  });
}

Expected<SftCounters> load_sft_state(const fs::path& folder, const Transformer& transformer,
                                     const std::string& work, AdamW& optimizer) {
  auto counters = load(folder, transformer, work, optimizer);
  if (counters) return counters;
  return failure(
      "{}: an interrupted fine-tuning lies there, and cannot be gone on with: {}. Remove the "
      "folder to start anew.",
      folder.string(), counters.error().message);
}

}  // namespace redqueen
