// The tasks that environment_writer.h draws from, as words and as code.
#pragma once

#include <string>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen::synth {

enum class AnswerForm { kInteger, kIntegerList, kText };

// One task on one kind of data. All texts are filled in; "{a}" in `words` stands for the data in
// the prompt template.
struct DrawnTask {
  std::string family = "";
  std::string name = "";                    // of the class, in capitalised words
  std::string words = "";                   // "the sum of the even numbers in {a}"
  std::vector<std::string> fields = {};     // that the prompt shows: "a", "k", …
  std::vector<std::string> data = {};       // statements that set them, with the generator r
  std::vector<std::string> reference = {};  // statements; the last sets self.ref_answer
  std::vector<std::string> wrong = {};      // the same for something that the words do not ask for
  AnswerForm form = AnswerForm::kInteger;
};

DrawnTask draw_task(Rng& rng);

}  // namespace redqueen::synth
