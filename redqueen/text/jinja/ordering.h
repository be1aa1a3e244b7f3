// The filters of templates that put items in order or gather those that are alike, with Jinja's
// meaning: texts are compared without regard to case unless case_sensitive is set.
#pragma once

#include "redqueen/text/jinja/builtins.h"

namespace redqueen::jinja {

TemplateValue sort_items(const TemplateValue& value, const TemplateCall& call);
TemplateValue sort_dict(const TemplateValue& value, const TemplateCall& call);  // dictsort
TemplateValue unique_items(const TemplateValue& value, const TemplateCall& call);
// A list of pairs: what the items have in common, and the items. The parts of a pair also have the
// names `grouper` and `list` (get_attribute()).
TemplateValue group_items(const TemplateValue& value, const TemplateCall& call);
TemplateValue least_item(const TemplateValue& value, const TemplateCall& call);     // min
TemplateValue greatest_item(const TemplateValue& value, const TemplateCall& call);  // max
TemplateValue sum_of_items(const TemplateValue& value, const TemplateCall& call);

// The same value with the fields of its dictionaries in order, as json.dumps(sort_keys=True) has
// it.
TemplateValue with_sorted_keys(const TemplateValue& value);

}  // namespace redqueen::jinja
