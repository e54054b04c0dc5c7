#pragma once
// One half of the code view: tabs for the representations of a schedule, and under them the form's text with what
// belongs to it (passes, the summary of the assembly). Two of them side by side are the split view. A pane knows
// nothing of the selection: it says what was clicked and is told what to mark.

#include "views/actions/view_roles.h"
#include "views/program/assembly_text.h"
#include "views/program/form_links.h"
#include "views/program/schedule_texts.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <array>

class QCheckBox;
class QTabBar;
class QStackedWidget;

namespace loopscope {

class AssemblyBar;
class CodeText;
class FormStatus;
class KernelBar;
class PassBar;

class RepresentationPane : public QWidget {
    Q_OBJECT

  public:
    RepresentationPane(const ViewContext &context, const QString &name, QWidget *parent);

    void setTexts(const ScheduleTexts &texts);
    /// Marks what is selected; `reveal`: and scrolls there.
    void follow(const Selected &selected, bool reveal);
    /// Quiet marks on what comes from these lines of the final program.
    void hover(const LineRanges &programLines);

    [[nodiscard]] FormKind form() const;
    void showForm(FormKind form);
    [[nodiscard]] CodeText &text() const { return *m_texts[static_cast<size_t>(form())]; }
    [[nodiscard]] PassBar &passes() const { return *m_passBar; }
    void setWordWrap(bool wrap);
    void setInstructionsOnly(bool only);
    [[nodiscard]] bool instructionsOnly() const { return m_filter.instructionsOnly; }
    void setSelectedOnly(bool only);
    [[nodiscard]] bool selectedOnly() const { return m_filter.selectedOnly; }

  signals:
    void formChanged();
    void nodeChosen(int node, const QString &stage, const QString &iterator); // node -1: all of that name
    void programLinesHovered(const loopscope::LineRanges &programLines);
    void cancelAsked();
    void retryAsked();
    void entered(); // has the focus now
    void instructionsOnlyChanged(bool only);

  private:
    void buildAssemblyControls();
    void update();
    void updateLoops();
    void updateC();
    void updateDisassembly();
    void showAssemblyText();
    void showMachineText();
    void takeAssembly(AssemblyText made);
    void nameForms();
    void showChanges();
    void mark(bool reveal);
    void lineClicked(int line);
    [[nodiscard]] const PassForm *pass() const;
    [[nodiscard]] FormLinks links() const; // of the text shown
    /// At once when it is little to do, by a job otherwise.
    template <typename Work, typename Done> void prepare(size_t bytes, const Work &work, const Done &done);

    ViewContext m_context;
    ScheduleTexts m_shown;
    Selected m_selected;
    QTabBar *m_tabs = nullptr;
    QWidget *m_bars = nullptr;
    QStackedWidget *m_stack = nullptr;
    PassBar *m_passBar = nullptr;
    AssemblyBar *m_assemblyBar = nullptr;
    KernelBar *m_kernelBar = nullptr;
    QCheckBox *m_instructionsButton = nullptr;
    QCheckBox *m_selectedButton = nullptr;
    FormStatus *m_status = nullptr;
    std::array<CodeText *, kFormKinds> m_texts{};
    // What each text holds now: it is made again only for something else.
    RepresentationsPtr m_loopsOf;
    int m_loopsPass = -1;
    RepresentationsPtr m_cOf;
    DisassemblyPtr m_irOf;
    DisassemblyPtr m_assemblyOf;
    AssemblyFilter m_assemblyFilter; // m_assemblyOf was shown with
    GpuCodePtr m_machineOf;
    AssemblyFilter m_machineFilter; // the same of m_machineOf
    LineMap m_cMap;
    LineMap m_irMap;
    AssemblyFilter m_filter; // wanted
    AssemblyText m_assembly;
    AssemblyText m_machine;
    int m_preparing = 0; // number of the newest preparation: older ones are thrown away
    bool m_revealNext = false;
    bool m_showsSelected = false; // what is selected has lines here
    bool m_toHottest = false;     // another disassembly: nobody wants to see how a function begins
};

} // namespace loopscope
