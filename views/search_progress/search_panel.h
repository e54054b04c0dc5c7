#pragma once
// Everything the search view shows, for any document: controls, status, plots, or a friendly page while there is
// nothing to see. Knows the values of a document but no session, so that it can be shown, and tested, with made-up
// ones.

#include "views/search_progress/roofline.h"
#include "views/search_progress/search_facts.h"
#include "views/trial_plots/trial_plot.h"

#include <QPushButton>
#include <QStackedWidget>

class QLabel;
class QSpinBox;

namespace loopscope {

class BundleStrip;
class LockStrip;
class PlotPanes;
class RooflinePlot;
class SetupForm;
class StartStrip;
class StatusStrip;

class SearchPanel final : public QWidget {
    Q_OBJECT

  public:
    SearchPanel(Theme &theme, Settings &settings, QWidget *parent = nullptr);
    ~SearchPanel() override;

    /// Another document, or all its trials anew; null: none is open.
    void setDocument(const Document *document);
    void updateStatus(const QString &whyNotSearch, const QString &whyNotContinue);
    void updateClock(); // what passes without news from the search
    void addTrials(int first);
    void resetTrials();
    void updateRounds();
    void updateBest();
    void setMachine(const std::optional<MachineRooflines> &machine);
    void setMeasuringMachine(bool measuring, const QString &whyNot);
    void select(int trial, const std::vector<int> &brushed);

    [[nodiscard]] PlotPanes &panes() const { return *m_panes; }
    [[nodiscard]] SetupForm &form() const { return *m_form; }
    [[nodiscard]] LockStrip &locks() const { return *m_locks; }
    [[nodiscard]] StartStrip &start() const { return *m_start; }
    [[nodiscard]] const SearchButtons &buttons() const { return m_buttons; }
    [[nodiscard]] int selected() const { return m_data.selected; }
    [[nodiscard]] int moreTrials() const;
    /// Valid trials next to the selected one in the order of trials; -1 none.
    [[nodiscard]] int neighbour(int step) const;

  signals:
    void primaryClicked();
    void stopClicked();
    void continueClicked(int trials);
    void trialSelected(int trial);
    void trialsBrushed(const std::vector<int> &trials);
    void measureMachine();
    void compareAgain();
    void exported(const QString &path, const QString &problem);

  protected:
    void changeEvent(QEvent *event) override;

  private:
    void applyTheme();
    void showPage();
    [[nodiscard]] double elapsedNow() const;

    Theme &m_theme;
    PlottedTrials m_data;
    SearchButtons m_buttons;
    QPushButton *m_primary;
    QString m_primaryIcon; // its name
    QPushButton *m_stop;
    QPushButton *m_continue;
    QSpinBox *m_more;
    SetupForm *m_form;
    StartStrip *m_start;
    LockStrip *m_locks;
    StatusStrip *m_strip;
    BundleStrip *m_wait;
    QLabel *m_advice; // after a failure
    QStackedWidget *m_pages;
    QLabel *m_empty;
    QPushButton *m_begin;
    PlotPanes *m_panes;
    std::vector<TrialPlot *> m_plots;
    RooflinePlot *m_roofline;
    // The search says how long it has been going whenever something ended; between, the clock goes on by itself.
    double m_toldElapsed = -1;
    QElapsedTimer m_sinceTold;
    bool m_ticking = false;
};

} // namespace loopscope
