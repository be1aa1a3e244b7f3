// Folders of a tokenizer with the chat templates of testdata/chat, for tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "redqueen/text/testing/byte_tokenizer.h"

namespace redqueen {

// Each has the constructs of one family: Qwen2.5, Qwen3, Llama 3, DeepSeek's distilled models,
// Mistral, SmolLM3, and a template with loops that end early.
inline constexpr const char* kChatTemplates[] = {"turns", "thinking", "headers", "reasoner",
                                                 "inst",  "modes",    "loops"};

// The files of kChatTemplates.
inline std::vector<std::filesystem::path> chat_template_files() {
  std::vector<std::filesystem::path> files;
  for (const char* name : kChatTemplates)
    files.push_back(std::string("redqueen/text/testdata/chat/") + name + ".jinja");
  return files;
}

// The templates of released models that the Python package trl brings, sorted; none without it.
inline std::vector<std::filesystem::path> published_template_files() {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(".venv/lib")) return files;
  for (const auto& python : std::filesystem::directory_iterator(".venv/lib")) {
    const auto folder = python.path() / "site-packages/trl/chat_templates";
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() == ".jinja") files.push_back(file.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Writes a folder as transformers wants it, with the template in the file `source`. in_config: the
// template stands in tokenizer_config.json, else in a file of its own.
inline Tokenizer make_template_folder(const std::filesystem::path& folder,
                                      const std::filesystem::path& source, bool in_config) {
  std::filesystem::create_directories(folder);
  if (!byte_tokenizer().save(folder / "tokenizer.json")) throw std::runtime_error(folder.string());
  nlohmann::ordered_json config = {
      {"tokenizer_class", "PreTrainedTokenizerFast"},
      {"bos_token", {{"content", "<begin>"}, {"__type", "AddedToken"}}},
      {"eos_token", "<end>"}};
  if (in_config) {
    std::ifstream stream(source);
    config["chat_template"] = std::string(std::istreambuf_iterator<char>(stream), {});
  } else {
    std::filesystem::copy_file(source, folder / "chat_template.jinja");
  }
  std::ofstream(folder / "tokenizer_config.json") << config;
  return Tokenizer::load(folder / "tokenizer.json").value();
}

// `name`: one of kChatTemplates.
inline Tokenizer make_chat_folder(const std::filesystem::path& folder, const std::string& name,
                                  bool in_config) {
  return make_template_folder(folder, "redqueen/text/testdata/chat/" + name + ".jinja", in_config);
}

}  // namespace redqueen
