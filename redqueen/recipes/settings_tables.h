// Settings of any types, one value a type: what a recipe adds to the settings that all share.
#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace redqueen {

class SettingsTables {
 public:
  // The value of a type, made with its defaults when it is first asked for.
  template <typename Table>
  Table& get() {
    std::any& table = tables_[typeid(Table)];
    if (!table.has_value()) table = Table();
    return *std::any_cast<Table>(&table);
  }
  template <typename Table>
  const Table& get() const {
    static const Table kDefaults;
    const auto found = tables_.find(typeid(Table));
    return found == tables_.end() ? kDefaults : *std::any_cast<Table>(&found->second);
  }

 private:
  std::map<std::type_index, std::any> tables_;
};

}  // namespace redqueen
