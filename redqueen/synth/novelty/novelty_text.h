// The two texts by which environments are compared: what the solver is asked, and the code that
// makes problems, freed of what is not code (EvoEnv section 3.3).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redqueen::synth {

enum class PythonTokenKind { kName, kNumber, kString, kOperator };

// A token of Python 3.11. Comments and line ends are no tokens.
struct PythonToken {
  PythonTokenKind kind = PythonTokenKind::kOperator;
  std::string_view text;  // within the source
};

// A logical line: one statement, or several with semicolons between them; brackets, backslashes and
// long strings join the lines of the file. Never empty.
struct PythonLine {
  std::size_t number = 0;  // of the file's line where it begins, from 1
  std::size_t indent = 0;  // columns, a tab reaching to the next multiple of 8
  std::vector<PythonToken> tokens;
};

// Cuts a source into logical lines; nothing is executed. Total: text that is no Python comes out as
// some tokens or other. The tokens point into `source`.
std::vector<PythonLine> python_lines(std::string_view source);

// A string literal's value: prefix and quotes gone, escapes resolved unless it is raw. Names of
// characters (\N{…}) stay as written, the braces of an f-string too.
std::string python_string_value(std::string_view literal);

// The body of the first function called `name` within the class that derives from
// VerifiableEnvironment, or else of the first function of that name: statement by statement, one
// space between tokens, without comments, docstrings, blank lines and indentation. Empty if there
// is none.
std::string cleaned_body(std::string_view source, std::string_view name);

struct NoveltyText {
  std::string prompt;  // view u: the value of prompt_template, or the strings of _prompt_generate
  std::string code;    // view v: the cleaned body of _generate
};

// Both views of an environment's source. A prompt template that is put together by code stands as
// the string literals in its assignment.
NoveltyText novelty_text(std::string_view source);

}  // namespace redqueen::synth
