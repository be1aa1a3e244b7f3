// An accepted environment as a folder that a person can read:
//
//   environment.py   the source, as the policy wrote it
//   card.json        name, description, tags, evidence of validation, reviews, calibration,
//                    certificate, provenance
//   samples.jsonl    a problem a line: {"level", "seed", "prompt", "reference", "state"}, as
//                    PythonEnvironment::restore takes it
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/core/environment.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen::synth {

struct EnvironmentRecord {
  std::string source;
  PythonEnvironmentInfo info;  // of the card; `task` is its description
  std::vector<std::string> tags;
  Json validation = Json::object();  // to_json(ValidationReport)
  Json reviews = Json::array();
  Json calibration = Json::object();
  Json certificate = Json::object();  // admission/certificate.h; empty: it has none
  std::string embedding_hash;
  Json provenance =
      Json::object();         // run, step, prompt, policy: whatever tells where it comes from
  std::vector<Json> samples;  // parameters of problems
};

// A record of a candidate that validation found sound: name and version from the source, a sample
// for every level.
EnvironmentRecord make_record(const std::string& source, const ValidationReport& report);

// "evo/prime_pairs-3f09ac" -> "prime_pairs-3f09ac": a name for the folder within its pool.
std::string folder_name(const EnvironmentRecord& record);

// Replaces what stood there before (replace_folder()).
Status write_environment_folder(const std::filesystem::path& folder,
                                const EnvironmentRecord& record);

// Fails with the file and the key at fault; also where the card was made for another source.
Expected<EnvironmentRecord> read_environment_folder(const std::filesystem::path& folder);

// Environments of `path`: a Python file, an environment's folder, or a pool (a folder of such
// folders, in the order of their names). The sandbox must outlive them. A file without a card gets
// a default name and is not validated.
Expected<std::vector<std::unique_ptr<const Environment>>> load_python_environments(
    const std::filesystem::path& path, sandbox::Sandbox& sandbox);

}  // namespace redqueen::synth
