#pragma once
// What one sees while nothing is open: samples with their pictures, recent files, ways to begin.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"
#include "views/start_page/sample_list.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListWidget;
class QScrollArea;
class QVBoxLayout;

namespace loopscope {

class SampleGrid;

class StartPage : public QWidget, public FindRole {
    Q_OBJECT

  public:
    explicit StartPage(const ViewContext &context, QWidget *parent = nullptr);

    /// Reads samples and looks recent files up; after the first paint.
    void load();
    void startFind() override;
    /// Tuning logs found in the folder Loopscope was started in.
    void offerLogs(const QStringList &paths);
    [[nodiscard]] const std::vector<Sample> &samples() const { return m_samples; }

  signals:
    void openRequested(const QStringList &paths);
    void loaded(); // samples have their pictures

  private:
    QWidget *buildSide();
    QWidget *buildSamples();
    void fillFiles();
    void checkFiles();
    void restyle();

    ViewContext m_context;
    std::vector<Sample> m_samples;
    QStringList m_logs;
    QStringList m_missing;
    QWidget *m_side;
    QVBoxLayout *m_buttons;
    QLabel *m_title;
    QLabel *m_subtitle;
    QLabel *m_tip;
    QLabel *m_recentTitle;
    QListWidget *m_files;
    QLabel *m_noFiles;
    QLineEdit *m_filter;
    QLabel *m_nothing;
    SampleGrid *m_grid;
    QScrollArea *m_scroll;
};

} // namespace loopscope
