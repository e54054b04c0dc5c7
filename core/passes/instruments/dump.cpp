#include "passes/instruments/dump.h"

namespace loopscope {

PassInstrument::Verdict DumpInstrument::after(const PassInfo &info, const Module &before, const Module &after) {
    if (!m_onlyPass.empty() && info.name != m_onlyPass) return {};
    if (m_when == When::OnChange && before.functions == after.functions) return {};
    m_take(info.name, m_print(after));
    return {};
}

} // namespace loopscope
