#include "passes/instruments/timing.h"

#include <fmt/format.h>

namespace loopscope {

void TimingInstrument::enter(const Module &) {
    m_rows.clear();
    m_open.clear();
}
void TimingInstrument::open(const std::string &name, bool sequence) {
    m_rows.push_back({name, m_open.size(), 0, sequence});
    m_open.emplace_back(m_rows.size() - 1, Clock::now());
}
void TimingInstrument::close() {
    if (m_open.empty()) return;
    const auto [row, began] = m_open.back();
    m_rows[row].seconds = std::chrono::duration<double>(Clock::now() - began).count();
    m_open.pop_back();
}
void TimingInstrument::before(const PassInfo &info, const Module &) { open(info.name, false); }
PassInstrument::Verdict TimingInstrument::after(const PassInfo &, const Module &, const Module &) {
    close();
    return {};
}
void TimingInstrument::beginSequence(const std::string &name) { open(name, true); }
void TimingInstrument::endSequence(const std::string &) {
    // A pass that was refused was never closed.
    while (!m_open.empty() && !m_rows[m_open.back().first].sequence) close();
    close();
}

std::string TimingInstrument::text() const {
    const double whole = m_rows.empty() ? 0 : m_rows.front().seconds;
    std::string text;
    for (const Row &row : m_rows)
        text += fmt::format("{:<32}{:>10.3f} ms {:>6.1f} %\n", std::string(2 * row.depth, ' ') + row.name,
                            row.seconds * 1e3, whole > 0 ? 100 * row.seconds / whole : 0);
    return text;
}

} // namespace loopscope
