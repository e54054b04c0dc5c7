#pragma once
// A workload from an operator of the library: choose it, say the shapes, add what follows it, see the text, the
// ComputeDAG and the work it is as one goes. Not modal; the rest of the window stays alive.

#include "views/computation/draft_preview.h"
#include "views/session/view_context.h"

#include <QDialog>
#include <QTimer>

class QDialogButtonBox;
class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QScrollArea;
class QTabWidget;
class QTreeWidget;

namespace loopscope {

class CodeText;

class NewWorkloadDialog : public QDialog {
    Q_OBJECT

  public:
    explicit NewWorkloadDialog(const ViewContext &context, QWidget *parent = nullptr);

    /// Shows it, with the filter ready to type into.
    void begin();
    void chooseOperator(const QString &name);
    [[nodiscard]] const Draft &draft() const { return m_draft; }
    void setDraft(const Draft &draft); // the form shows it, the preview follows
    [[nodiscard]] const DraftPreview &preview() const { return m_preview; }
    [[nodiscard]] QComboBox *target() const { return m_target; }
    [[nodiscard]] QLineEdit *filter() const { return m_filter; }
    [[nodiscard]] QTreeWidget *operators() const { return m_operators; }
    void accept() override;

  signals:
    void previewed();

  private:
    QWidget *buildChooser();
    QWidget *buildForm();
    QWidget *buildPreview();
    QHBoxLayout *buildTarget();
    void offerTargets();
    void applyFilter(const QString &text);
    void fillForm();
    void touched(); // the draft changed: preview soon
    void requestPreview();
    void showPreview(DraftPreview preview);
    void restyle();

    ViewContext m_context;
    Draft m_draft;
    DraftPreview m_preview;
    QTimer m_soon;
    int m_job = -1;
    int m_version = 0;
    bool m_current = false; // the preview is that of the draft

    QLineEdit *m_filter = nullptr;
    QTreeWidget *m_operators = nullptr;
    QLabel *m_doc = nullptr;
    QScrollArea *m_scroll = nullptr;
    QTabWidget *m_tabs = nullptr;
    CodeText *m_text = nullptr;
    CodeText *m_dag = nullptr;
    QLabel *m_verdict = nullptr;
    QComboBox *m_target = nullptr;
    QDialogButtonBox *m_buttons = nullptr;
};

} // namespace loopscope
