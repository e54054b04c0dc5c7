#pragma once
// Two forms of the network that is shown, chosen among all that passes left of it, and in what they differ.

#include "views/network_passes/form_diff_model.h"
#include "views/session/network_kernels.h"
#include "views/session/view_context.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QTableView;

namespace loopscope {

class ElidedLabel;

class FormDiffPage : public QWidget {
    Q_OBJECT

  public:
    explicit FormDiffPage(const ViewContext &context, QWidget *parent = nullptr);
    ~FormDiffPage() override;

    /// Their forms; null: none.
    void show(NetworkKernelsPtr kernels);
    /// Of NetworkKernels::forms.
    void choose(int from, int to);
    [[nodiscard]] int from() const;
    [[nodiscard]] int to() const;
    /// Nothing is compared for nobody: before the page is seen.
    void setSeen(bool seen);
    [[nodiscard]] bool ready() const { return m_job == 0; }
    [[nodiscard]] QString sentence() const;

    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] QComboBox &fromBox() { return *m_from; }
    [[nodiscard]] QComboBox &toBox() { return *m_to; }

  signals:
    void nodesChosen(const std::set<std::string> &sources);

  private:
    void compare();
    void say(const QString &sentence);

    ViewContext m_context;
    FormDiffModel *m_model;
    QComboBox *m_from;
    QComboBox *m_to;
    ElidedLabel *m_sentence;
    QTableView *m_table;
    NetworkKernelsPtr m_kernels;
    int m_job = 0;
    bool m_seen = false;
    bool m_stale = false; // what is shown is not what was chosen
};

} // namespace loopscope
