// Converts, downloads and publishes models by model_files.py, in a process of its own.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// Finds the Python that has transformers, torch, gguf and huggingface_hub: $REDQUEEN_PYTHON, the
// environment .venv of `source_tree` (empty: none), that of the checkout of which the program was
// built, or else the python3 of the PATH.
std::filesystem::path model_python(const std::filesystem::path& source_tree);

// Runs one command of model_files.py (its first lines list them) in `python`. Its progress goes to
// standard error. Returns what it printed as done. Fails with its sentence; wrong usage where it
// says so. When `interrupted` is set, ends it in order and fails.
Expected<std::string> run_model_files(const std::filesystem::path& python,
                                      std::vector<std::string> words,
                                      const std::atomic<bool>& interrupted);

// Converts a GGUF file into a new Hugging Face folder: the weights as `dtype`, float32 or bfloat16,
// the tokenizer and the chat template, as transformers reads them. All of the folder is there, or
// nothing.
Status import_gguf(const std::filesystem::path& python, const std::filesystem::path& file,
                   const std::filesystem::path& folder, const std::string& dtype,
                   const std::atomic<bool>& interrupted);

// A policy for push_model() to upload.
struct ModelToPush {
  std::filesystem::path folder;
  std::string name;        // "org/name"
  std::string card;        // README.md of the model
  std::string base;        // of adapters: their base on the Hub, "org/name" or "org/name@revision"
  bool is_public = false;  // if it is new there
};

// Uploads a policy's files to the Hugging Face Hub in one commit, all or nothing, and returns the
// commit's address. Fails with a sentence where there is no token or no network, where the Hub
// refuses it, and where a model of that name is there that was not made so.
Expected<std::string> push_model(const std::filesystem::path& python, const ModelToPush& model,
                                 const std::atomic<bool>& interrupted);

// The models that fetch_model() knows.
const std::vector<std::string>& fetchable_models();

// The folder into which fetch_model() puts a model by default: $XDG_DATA_HOME/redqueen/models/NAME.
// Empty: there is no HOME.
std::filesystem::path default_model_folder(const std::string& name);

// Downloads a model of fetchable_models() into a folder, likewise. Returns false where the folder
// has it already. Fails where the folder holds anything else.
Expected<bool> fetch_model(const std::filesystem::path& python, const std::string& name,
                           const std::filesystem::path& folder, const std::string& dtype,
                           const std::atomic<bool>& interrupted);

}  // namespace redqueen
