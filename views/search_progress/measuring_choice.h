#pragma once
// The fields that say on what a search measures its candidates: the ways there are for its target, those that cannot be
// taken with the reason, and the folder of bundles where that is the way.

#include "views/session/measuring.h"

#include <QObject>

class QComboBox;
class QLineEdit;

namespace loopscope {

class MeasuringChoice final : public QObject {
    Q_OBJECT

  public:
    explicit MeasuringChoice(QObject *parent);

    [[nodiscard]] QComboBox *ways() const { return m_ways; }
    [[nodiscard]] QWidget *folder() const { return m_folder; }
    [[nodiscard]] QLineEdit *nodes() const { return m_nodes; } // words of measure/fleet/slurm.h
    /// Shows it; tells nobody. Null: no target is known.
    void show(const SearchSetup &setup, const Target *target, const QString &defaultFolder);
    void put(SearchSetup &setup) const;
    [[nodiscard]] bool several() const; // ways to choose from
    [[nodiscard]] bool bundled() const; // the folder matters
    [[nodiscard]] bool onNodes() const; // the words do

  signals:
    void changed();

  private:
    void chooseFolder();

    QComboBox *m_ways;
    QWidget *m_folder;
    QLineEdit *m_path;
    QLineEdit *m_nodes;
    std::vector<MeasuringWay> m_shown;
    MeasureOn m_on = MeasureOn::Here; // as chosen, which need not be what it comes to
};

} // namespace loopscope
