// Folders that tests belong to.
#pragma once

#include <filesystem>
#include <string>

namespace redqueen {

// The root of the checkout; test binaries run there.
std::filesystem::path source_dir();

// The folder with a folder for each archive of test data: build/testdata (cmake/TestData.cmake).
std::filesystem::path test_data_dir();

// The path of the program, build/redqueen.
std::string redqueen_binary();

}  // namespace redqueen
