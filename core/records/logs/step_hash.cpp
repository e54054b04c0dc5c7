#include "records/logs/step_hash.h"

#include "schedule/step_fields.h"

#include <variant>

namespace loopscope {

namespace {

template <typename Kind> void addField(StepHash &hash, const std::string &text) {
    if constexpr (std::is_same_v<Kind, PragmaStep>)
        hash.addPragma(text);
    else
        hash.add(text);
}
template <typename Kind> void addField(StepHash &hash, const std::vector<int64_t> &lengths) {
    for (const int64_t length : lengths) {
        hash.addValue(static_cast<uint64_t>(length));
        hash.end();
    }
}
template <typename Kind, typename Id> void addField(StepHash &hash, const std::vector<Id> &ids) {
    for (const Id &id : ids) hash.add(static_cast<uint64_t>(id.value));
    hash.end();
}
template <typename Kind> void addField(StepHash &hash, const auto &number) {
    if constexpr (requires { number.value; })
        hash.add(static_cast<uint64_t>(number.value));
    else
        hash.add(static_cast<uint64_t>(number));
}

} // namespace

void addStep(StepHash &hash, const Step &step) {
    hash.add(stepTagNumber(stepTag(step)));
    // In the order in which a log has the elements.
    std::visit(
        [&]<typename Kind>(const Kind &kind) {
            visitFields(kind, [&](const char *, const auto &field) { addField<Kind>(hash, field); });
        },
        step);
}

} // namespace loopscope
