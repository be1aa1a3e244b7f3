#include "redqueen/synth/writer/environment_writer.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/synth/writer/environment_tasks.h"

namespace redqueen::synth {
namespace {

constexpr std::array kDefects{
    Defect::kSyntax,          Defect::kMissingMethod, Defect::kForbiddenImport,   Defect::kRaises,
    Defect::kUnseeded,        Defect::kConstant,      Defect::kIgnoresDifficulty, Defect::kLeak,
    Defect::kAcceptsAnything, Defect::kWrongReference};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string prompt_words(Rng& rng, const DrawnTask& task) {
  constexpr std::array<std::string_view, 5> kOpenings{"Find $w.", "Compute $w.", "Give $w.",
                                                      "What is $w?", "Work out $w."};
  constexpr std::array<std::string_view, 2> kNumber{"Answer with one number.", "Give one integer."};
  constexpr std::array<std::string_view, 2> kNumbers{"Answer with numbers separated by spaces.",
                                                     "Separate the numbers by spaces."};
  constexpr std::array<std::string_view, 2> kWord{"Answer with the text alone.",
                                                  "Give only the text."};
  std::string opening(rng.choice(kOpenings));
  if (task.words.starts_with("how ")) opening = kOpenings.front();
  const std::string_view closing = task.form == AnswerForm::kInteger       ? rng.choice(kNumber)
                                   : task.form == AnswerForm::kIntegerList ? rng.choice(kNumbers)
                                                                           : rng.choice(kWord);
  return fmt::format("{} {}", replaced(opening, "$w", task.words), closing);
}

std::string_view parser(AnswerForm form) {
  if (form == AnswerForm::kInteger) return "parse_int(response)";
  if (form == AnswerForm::kIntegerList) return "parse_int_list(response)";
  return "response.strip() or None";
}

std::vector<std::string> scorer(Rng& rng, AnswerForm form) {
  const std::string exact = "return 1.0 if parsed == self.ref_answer else 0.0";
  if (form != AnswerForm::kIntegerList || rng.chance(0.6)) return {exact};
  return {"if len(parsed) != len(self.ref_answer):", "    return -0.5",
          "same = sum(x == y for x, y in zip(parsed, self.ref_answer))",
          "return share_reward(same, len(parsed))"};
}

// An environment as its parts, so that a defect can be built into one of them.
struct Parts {
  std::vector<std::string> imports = {};
  std::string class_name;
  std::string prompt;
  std::vector<std::string> generate = {};
  std::vector<std::string> render = {};
  std::vector<std::string> process = {};
  std::vector<std::string> score = {};
  std::string missing;  // a method to leave out
};

std::string render(const Parts& parts) {
  std::string source;
  for (const std::string& line : parts.imports) source += line + "\n";
  source += fmt::format("class {}(VerifiableEnvironment):\n    prompt_template = \"{}\"\n",
                        parts.class_name, parts.prompt);
  const auto method = [&](std::string_view name, std::string_view arguments,
                          std::span<const std::string> lines) {
    if (name == parts.missing) return;
    source += fmt::format("    def {}({}):\n", name, arguments);
    for (const std::string& line : lines) source += fmt::format("        {}\n", line);
  };
  method("_generate", "self, seed, difficulty", parts.generate);
  method("_prompt_generate", "self", parts.render);
  method("_process", "self, response", parts.process);
  method("scorer", "self, parsed", parts.score);
  return source;
}

Parts assemble(Rng& rng, const DrawnTask& task) {
  Parts parts;
  parts.class_name = task.name;
  parts.prompt = prompt_words(rng, task);
  parts.generate = {"r = Random(seed)"};
  parts.generate.insert(parts.generate.end(), task.data.begin(), task.data.end());
  parts.generate.insert(parts.generate.end(), task.reference.begin(), task.reference.end());
  std::string fields;
  for (const std::string& field : task.fields)
    fields += fmt::format("{}{}=self.{}", fields.empty() ? "" : ", ", field, field);
  parts.render = {fmt::format("return self.prompt_template.format({})", fields)};
  parts.process = {fmt::format("return {}", parser(task.form))};
  parts.score = scorer(rng, task.form);
  for (const std::string& line : task.reference) {
    if (line.find("gcd(") != std::string::npos) parts.imports = {"from math import gcd"};
  }
  return parts;
}

std::string_view constant_of(AnswerForm form) {
  if (form == AnswerForm::kInteger) return "self.ref_answer = 7";
  if (form == AnswerForm::kIntegerList) return "self.ref_answer = [1, 2]";
  return "self.ref_answer = \"ab\"";
}

// Takes one closing bracket or colon out of the text.
std::string break_syntax(Rng& rng, std::string source) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool colon = source[i] == ':' && i + 1 < source.size() && source[i + 1] == '\n';
    if (source[i] == ')' || colon) places.push_back(i);
  }
  source.erase(rng.choice(places), 1);
  return source;
}

// False: the task has no place for this defect.
bool build_in(Defect defect, Rng& rng, const DrawnTask& task, Parts& parts) {
  constexpr std::array<std::string_view, 4> kMethods{"_generate", "_prompt_generate", "_process",
                                                     "scorer"};
  switch (defect) {
    case Defect::kNone:
    case Defect::kSyntax:
      return true;
    case Defect::kMissingMethod:
      parts.missing = std::string(rng.choice(kMethods));
      return true;
    case Defect::kForbiddenImport:
      parts.imports.emplace(parts.imports.begin(), "import numpy as np");
      return true;
    case Defect::kRaises:
      parts.generate.back() =
          replaced(parts.generate.back(), "self.ref_answer = ", "self.ref_answer = result or ");
      return true;
    case Defect::kUnseeded:
      parts.generate.front() = "r = Random()";
      return true;
    case Defect::kConstant:
      parts.generate.back() = std::string(constant_of(task.form));
      return true;
    case Defect::kIgnoresDifficulty: {
      bool found = false;
      for (std::string& line : parts.generate) {
        found = found || line.find("difficulty") != std::string::npos;
        line = replaced(line, "difficulty", "2");
      }
      return found;
    }
    case Defect::kLeak:
      parts.prompt += " It is {z}.";
      parts.render.back() = replaced(parts.render.back(), "format(", "format(z=self.ref_answer, ");
      return true;
    case Defect::kAcceptsAnything:
      parts.score = {"return 1.0 if parsed is not None else 0.0"};
      return true;
    case Defect::kWrongReference:
      parts.generate.resize(1 + task.data.size());
      parts.generate.insert(parts.generate.end(), task.wrong.begin(), task.wrong.end());
      for (const std::string& line : task.wrong) {
        if (line.find("gcd(") != std::string::npos) parts.imports = {"from math import gcd"};
      }
      return task.wrong != task.reference;
  }
  return false;
}

}  // namespace

std::string_view name_of(Defect defect) {
  switch (defect) {
    case Defect::kNone:
      return "none";
    case Defect::kSyntax:
      return "syntax";
    case Defect::kMissingMethod:
      return "missing_method";
    case Defect::kForbiddenImport:
      return "forbidden_import";
    case Defect::kRaises:
      return "raises";
    case Defect::kUnseeded:
      return "unseeded";
    case Defect::kConstant:
      return "constant";
    case Defect::kIgnoresDifficulty:
      return "ignores_difficulty";
    case Defect::kLeak:
      return "leak";
    case Defect::kAcceptsAnything:
      return "accepts_anything";
    case Defect::kWrongReference:
      return "wrong_reference";
  }
  return "unknown";
}

WrittenEnvironment write_environment(Rng& rng, Defect defect) {
  for (;;) {
    const DrawnTask task = draw_task(rng);
    Parts parts = assemble(rng, task);
    if (!build_in(defect, rng, task, parts)) continue;
    std::string source = render(parts);
    if (defect == Defect::kSyntax) source = break_syntax(rng, std::move(source));
    return {parts.class_name, task.family, std::move(source), defect};
  }
}

WrittenEnvironment write_environment_or_broken(Rng& rng, double broken_share) {
  if (!rng.chance(broken_share)) return write_environment(rng);
  const Defect defect = rng.choice(kDefects);
  return write_environment(rng, defect);
}

}  // namespace redqueen::synth
