#include "redqueen/base/testing/source_dir.h"

namespace redqueen {

std::filesystem::path source_dir() { return REDQUEEN_SOURCE_DIR; }

std::filesystem::path test_data_dir() { return REDQUEEN_BINARY_DIR "/testdata"; }

std::string redqueen_binary() { return REDQUEEN_BINARY_DIR "/redqueen"; }

}  // namespace redqueen
