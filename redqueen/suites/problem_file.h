// A file of problems with statements of their own, in the form of RLVE's test set:
//
//   [{"user_prompt": "You are given …",
//     "metadata": {"environment": "Sorting", "config": {"parameter": {…}, …}}}, …]
//
// `metadata` may be an object or its text. The statement is asked word for word, and the answer is
// judged by the environment of that name, whose problem is restored from the parameter.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"

namespace redqueen {

// Returns an environment "FILE/NAME" for each environment that the file names, in the order of the
// file; its level 0 holds the problems, seed i the i-th of them (data_sets::rows_at has their
// number). The registry's environments must outlive the result. Fails if the file is no such list,
// or if a row's environment or parameter is not known, and names the row.
Expected<std::vector<std::shared_ptr<const Environment>>> load_problem_file(
    const std::filesystem::path& file, const Registry& registry);

}  // namespace redqueen
