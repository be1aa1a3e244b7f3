// Reads the folders of environments and prompts that EvoEnv begins with.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "redqueen/base/error.h"

namespace redqueen::evoenv {

// The environments a run begins with: the sources of every NAME.py of a folder, by name, without
// those of more than `longest` characters. Fails if none is left.
Expected<std::map<std::string, std::string>> read_seeds(const std::filesystem::path& folder,
                                                        std::size_t longest);

}  // namespace redqueen::evoenv
