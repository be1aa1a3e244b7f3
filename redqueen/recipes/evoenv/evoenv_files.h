// What EvoEnv reads before it begins: folders of environments and of prompts.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "redqueen/core/error.h"

namespace redqueen {

// A folder as it is named, or below configs/.
std::filesystem::path find_evoenv_folder(const std::string& name);

// The environments a run begins with: the sources of every NAME.py of a folder, by name, without those of more than
// `longest` characters. Fails if none is left.
Expected<std::map<std::string, std::string>> read_seeds(const std::string& folder,
                                                        std::size_t longest);

}  // namespace redqueen
