#pragma once
// What a search is asked to do. Every field says its unit and effect in its tooltip; what was chosen is found again at
// the next start. Locked while a search runs, with the reason in the tooltips.

#include "views/session/document.h"
#include "views/settings/settings.h"
#include "views/settings/theme.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace loopscope {

class FlowLayout;
class MeasuringChoice;

/// The fields that are remembered; the log file is not, it belongs to a document.
SearchSetup storedSetup(const Settings &settings);
void storeSetup(Settings &settings, const SearchSetup &setup);

class SetupForm final : public QWidget {
    Q_OBJECT

  public:
    SetupForm(Theme &theme, Settings &settings, QWidget *parent = nullptr);

    /// Shows it; tells nobody. `defaultLog`: where trials go when no log file is chosen.
    void setSetup(const SearchSetup &setup, const QString &target, const QString &defaultLog);
    [[nodiscard]] SearchSetup setup() const;
    void setLocked(const QString &why); // empty: unlocked
    /// What candidates of the target may run on, and what they do; null: no target is known.
    void setTarget(const Target *target, const QString &defaultFolder);
    /// Of the target, or of the workload; empty none.
    void setProblem(const QString &sentence);

  signals:
    void setupChanged(const loopscope::SearchSetup &setup);
    void targetChanged(const QString &target);

  private:
    QWidget *addField(FlowLayout *row, const QString &name, QWidget *field, const QString &tip);
    QSpinBox *number(int least, int most, int step);
    QDoubleSpinBox *seconds(double least, double most, double step);
    void changed();
    void chooseLog();

    Theme &m_theme;
    Settings &m_settings;
    SearchSetup m_base; // what the form has no field for
    QSpinBox *m_trials;
    QSpinBox *m_budget;
    QLineEdit *m_seed;
    QSpinBox *m_threads;
    QComboBox *m_target;
    QLineEdit *m_log;
    QToolButton *m_chooseLog;
    QToolButton *m_more;
    QWidget *m_folded;
    MeasuringChoice *m_measuring;
    QWidget *m_ways;   // to measure, with their name
    QWidget *m_bundle; // folder, with its name
    QWidget *m_nodes;  // words for Slurm, with their name
    QSpinBox *m_perRound;
    QComboBox *m_layout;
    QSpinBox *m_population;
    QSpinBox *m_generations;
    QDoubleSpinBox *m_buildTimeout;
    QDoubleSpinBox *m_runTimeout;
    QCheckBox *m_random;
    QLabel *m_problem;
    QLabel *m_where;
    std::vector<std::pair<QWidget *, QString>> m_fields; // with their tooltips
    QString m_locked;                                    // why
    bool m_filling = false;
};

} // namespace loopscope
