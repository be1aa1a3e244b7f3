// Parses the source of a template into statements: the part of Jinja's grammar that chat templates
// use (docs/models.md lists it).
#pragma once

#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/text/jinja/ast.h"

namespace redqueen::jinja {

// Fails with the line of what it does not understand, or what is nested too deeply.
Expected<TemplateBlock> parse_template(std::string_view source);

}  // namespace redqueen::jinja
