// Models of the Hugging Face Hub, by the names that paths of policies give them, and its local
// cache, whose layout is that of the package huggingface_hub.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen {

struct HubName {
  std::string name;      // "org/name"
  std::string revision;  // a branch, a tag or a commit
};

// Reads "hf:org/name" or "hf:org/name@revision" (without one: main). Nothing for any other path,
// and for "hf:DIR": where DIR is a folder that is there, or begins with "/", "." or "~", or has not
// one slash between two names, it is a folder.
std::optional<HubName> hub_name(std::string_view path);

// Whether the Hub can have a model of this name: "org/name" of letters, digits, "-", "_" and ".",
// 96 characters at most.
bool is_hub_model_name(std::string_view name);

// The model of the Hub that the path of a policy stands for, "org/name" or "org/name@revision":
// that of "hf:org/name", or of a snapshot in a cache of the Hub. Empty: none, or it cannot be told.
std::string hub_model_of(std::string_view path);

// The folder of a path of a policy, "DIR", "hf:DIR" or "hf:org/name": the last is the snapshot in
// the local cache. Where the cache lacks the model, the path less "hf:", at which nothing is.
std::filesystem::path model_folder(std::string_view path);

// Brings what an "hf:org/name" names into the local cache, if it is not there, by model_files.py in
// `python`, and returns the path with the commit as its revision: the same weights whenever it is
// read. Any other path is returned as it is. Fails with a sentence where the Hub cannot be reached,
// has no such model, or wants its licence accepted.
Expected<std::string> fetch_from_hub(const std::string& path, const std::filesystem::path& python,
                                     const std::atomic<bool>& interrupted);

}  // namespace redqueen
