// For tests: a request to testdata/transformers_oracle.py in which the order of keys matters.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace redqueen {

// `folder` takes the request and what the script prints, which is shown if it fails.
inline bool ask_in_order(const std::string& folder, const nlohmann::ordered_json& request) {
  const std::string file = folder + "/request.json", errors = folder + "/errors.txt";
  std::ofstream(file) << request;
  const std::string command = ".venv/bin/python redqueen/policy/testdata/transformers_oracle.py " +
                              file + " >" + errors + " 2>&1";
  const bool answered = std::system(command.c_str()) == 0;
  if (!answered) std::cerr << std::ifstream(errors).rdbuf();
  return answered;
}

}  // namespace redqueen
