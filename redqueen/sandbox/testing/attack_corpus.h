// The hostile programs of attacks/, one file each. The lines of a header are `# key: value`:
//   attempt     what the program tries
//   expect      statuses that count as contained, separated by spaces
//   profile     pure, code; default: everything may be imported
//   limits      wall=SECONDS cpu=SECONDS memory=MIB
//   call        an expression to evaluate; call_python, call_literal: a function, with `arguments`
//   value, out  what must come back exactly (out: stdout without its last line end); not_value:
//               what must not
//   exception   the type that must be raised
//   equals      an answer, and `comparable: not_equal`: the value must not pass for it
//   differs     the value must differ between two hash seeds
//   needs       namespaces or landlock: the outcome depends on that layer
// A program that gets what it wants prints or returns ESCAPED.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "redqueen/base/testing/source_dir.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::sandbox {

struct Attack {
  std::string name;
  std::map<std::string, std::string> header;
  std::string source;
};

// Tells gtest how to show the parameter of a test that failed.
inline void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

inline std::filesystem::path attack_folder() { return source_dir() / "redqueen/sandbox/attacks"; }

inline Attack read_attack(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t end = text.find("\n\n");
  Attack attack{path.stem().string(), {}, text.substr(end + 2)};
  std::istringstream header(text.substr(0, end));
  for (std::string line; std::getline(header, line);) {
    const std::size_t colon = line.find(": ");
    attack.header[line.substr(2, colon - 2)] = line.substr(colon + 2);
  }
  return attack;
}

inline std::vector<Attack> all_attacks() {
  std::vector<Attack> attacks;
  for (const auto& entry : std::filesystem::directory_iterator(attack_folder())) {
    if (entry.path().extension() == ".py") attacks.push_back(read_attack(entry.path()));
  }
  std::sort(attacks.begin(), attacks.end(),
            [](const Attack& a, const Attack& b) { return a.name < b.name; });
  return attacks;
}

inline bool has(const Attack& attack, const std::string& key) {
  return attack.header.contains(key);
}

inline Limits limits_of(const Attack& attack) {
  Limits limits;
  limits.wall_seconds = 60;  // the machine may be busy; only some attacks are about time
  if (!has(attack, "limits")) return limits;
  std::istringstream words(attack.header.at("limits"));
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const double value = std::stod(word.substr(equals + 1));
    if (key == "wall") limits.wall_seconds = value;
    if (key == "cpu") limits.cpu_seconds = value;
    if (key == "memory") limits.memory_bytes = static_cast<std::uint64_t>(value) << 20;
  }
  return limits;
}

inline Job job_of(const Attack& attack, std::uint64_t hash_seed) {
  Job job;
  job.program = open_program(attack.source);
  if (has(attack, "profile"))
    job.program.profile = find_profile(attack.header.at("profile")).value();
  job.program.limits = limits_of(attack);
  job.program.hash_seed = hash_seed;
  if (has(attack, "call")) job.calls = {Call::expression(attack.header.at("call"))};
  if (has(attack, "call_python")) {
    job.calls = {Call::python(attack.header.at("call_python"), attack.header.at("arguments"))};
  }
  if (has(attack, "call_literal")) {
    job.calls = {Call::literal(attack.header.at("call_literal"), attack.header.at("arguments"))};
  }
  return job;
}

inline bool expected(const Attack& attack, OutcomeStatus status) {
  std::istringstream words(attack.header.at("expect"));
  for (std::string word; words >> word;) {
    if (word == name_of(status)) return true;
  }
  return false;
}

inline std::string without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace redqueen::sandbox
