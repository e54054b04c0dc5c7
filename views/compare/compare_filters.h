#pragma once
// What counts as a difference, and what is shown of two texts: actions that stay as the user left them, under one
// button.

#include "views/compare/compared_side.h"
#include "views/session/view_context.h"

#include <QObject>

class QAction;
class QToolButton;

namespace loopscope {

class CompareFilters : public QObject {
    Q_OBJECT

  public:
    /// The view owns the actions, so that their keys work in it.
    CompareFilters(const ViewContext &context, QWidget *view);

    [[nodiscard]] QToolButton *button() const { return m_button; }
    [[nodiscard]] DiffFilter filter(CompareTab tab) const;
    [[nodiscard]] bool onlyDifferences() const;
    void showAll();                     // no longer only the differences
    [[nodiscard]] bool follows() const; // the right side goes with the selection
    void offerFor(CompareTab tab);      // those of machine code only there

  signals:
    void filterChanged();
    void onlyDifferencesChanged();

  private:
    QAction *add(const char *id, const char *key, const QString &text, const QString &tip, const char *icon);

    ViewContext m_context;
    QToolButton *m_button = nullptr;
    QAction *m_blanks = nullptr;
    QAction *m_registers = nullptr;
    QAction *m_directives = nullptr;
    QAction *m_only = nullptr;
    QAction *m_follow = nullptr;
};

} // namespace loopscope
