#pragma once
// What stands above the assembly: registers, stack and spills in one line, the innermost loops as buttons that go
// there.

#include "codegen/assembly_summary.h"
#include "views/settings/theme.h"

#include <QWidget>

class QLabel;

namespace loopscope {

class FlowLayout;
class HotBlockBar;

/// "15 vector and 9 general registers, no spills, 640 B stack, 412 instructions"; the part about spills comes first
/// when there are some.
QString summaryText(const AssemblySummary &summary);
/// "48 instructions: 32 FMA, 12 loads, 4 stores".
QString countsText(const InstructionCounts &counts);
/// Loops in the order of how much the eye wants them: multiply-adds first, then size. Indices.
std::vector<size_t> loopsByWeight(const AssemblySummary &summary);

class AssemblyBar : public QWidget {
    Q_OBJECT

  public:
    AssemblyBar(Theme &theme, QWidget *parent);
    /// `names`: of its innermost loops, as the program calls them; empty where nobody knows.
    void show(const AssemblySummary &summary, const QStringList &names);
    [[nodiscard]] HotBlockBar &hottest() const { return *m_hottest; }

  signals:
    void loopAsked(int disassemblyLine, int programLine);

  private:
    void applyTheme();

    Theme &m_theme;
    AssemblySummary m_summary;
    QLabel *m_text = nullptr;
    HotBlockBar *m_hottest = nullptr;
    FlowLayout *m_loops = nullptr;
};

} // namespace loopscope
