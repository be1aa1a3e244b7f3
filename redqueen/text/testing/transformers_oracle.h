// The Python package transformers as an oracle of tests.
#pragma once

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "redqueen/base/testing/folder.h"

namespace redqueen {

// The day of transformers_oracle.py.
inline std::tm fixed_day() {
  std::tm day{};
  day.tm_year = 124;
  day.tm_mon = 6;
  day.tm_mday = 26;
  day.tm_hour = 13;
  day.tm_min = 5;
  day.tm_sec = 9;
  day.tm_wday = 5;
  day.tm_yday = 207;
  return day;
}

// Whether .venv has transformers; tests that need it are skipped otherwise.
inline bool has_transformers() {
  return std::system(
             ".venv/bin/python -c 'import importlib.util as u, sys; "
             "sys.exit(u.find_spec(\"transformers\") is None)' 2>/dev/null") == 0;
}

// Runs testdata/transformers_oracle.py on a request (its keys keep their order). Files go to
// `scratch`; what the script complains of is printed if it fails.
inline bool ask_transformers(const TestFolder& scratch, const nlohmann::ordered_json& request) {
  const std::string file = (scratch / "request.json").string();
  const std::string errors = (scratch / "errors.txt").string();
  std::ofstream(file) << request;
  const std::string command = ".venv/bin/python redqueen/text/testdata/transformers_oracle.py " +
                              file + " >" + errors + " 2>&1";
  const bool answered = std::system(command.c_str()) == 0;
  if (!answered) std::cerr << std::ifstream(errors).rdbuf();
  return answered;
}

}  // namespace redqueen
