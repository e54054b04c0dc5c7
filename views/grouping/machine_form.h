#pragma once
// The machine as grouping sees it: three numbers (four where the mode knows the core's cache), each by a slider with a
// logarithmic scale and exactly by a text; the mode; sets of them with names.

#include "views/grouping/shown_grouping.h"
#include "views/settings/settings.h"
#include "views/settings/theme.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QSlider;

namespace loopscope {

/// Where numbers lie on a slider: a stop for each so much of a doubling.
struct LogScale {
    double least = 1;
    double most = 4096;
    int stopsPerDoubling = 2;
    double unit = 1; // values are whole numbers of it

    [[nodiscard]] int stops() const;
    [[nodiscard]] double at(int stop) const;
    [[nodiscard]] int stopOf(double value) const; // the nearest
};

enum class MachineField : uint8_t { Parallelism, LastLevelCache, Balance, CoreCache };

class MachineForm final : public QWidget {
    Q_OBJECT

  public:
    explicit MachineForm(const Theme &theme, QWidget *parent = nullptr);

    void setPresets(std::vector<MachinePreset> presets);
    /// As it was there the last time; what is chosen is written there.
    void keepIn(Settings &settings);
    void set(const MachineParameters &machine, GroupingMode mode); // tells nobody
    [[nodiscard]] const MachineParameters &machine() const { return m_machine; }
    [[nodiscard]] GroupingMode mode() const;

    [[nodiscard]] QSlider &slider(MachineField field) const { return *row(field).slider; }
    [[nodiscard]] QLineEdit &entry(MachineField field) const { return *row(field).entry; }
    [[nodiscard]] QComboBox &modes() const { return *m_modes; }
    [[nodiscard]] QComboBox &presets() const { return *m_presets; }
    [[nodiscard]] QString problem() const { return m_problem; } // of what was typed; empty: none

  signals:
    void changed();
    void problemChanged(); // of what was typed

  private:
    struct Row {
        MachineField field = MachineField::Parallelism;
        LogScale scale;
        QWidget *box = nullptr;
        QSlider *slider = nullptr;
        QLineEdit *entry = nullptr;
    };
    void addRow(MachineField field, const QString &name, const QString &tip, const LogScale &scale);
    [[nodiscard]] const Row &row(MachineField field) const { return m_rows[static_cast<size_t>(field)]; }
    [[nodiscard]] double valueOf(MachineField field) const;
    void setValue(MachineField field, double value);
    void read(const Row &row);
    void showValues();
    void showProblem(const Row &row, const QString &problem);

    const Theme &m_theme;
    std::vector<Row> m_rows;
    QComboBox *m_modes;
    QComboBox *m_presets;
    std::vector<MachinePreset> m_sets;
    MachineParameters m_machine;
    QString m_problem;
    bool m_showing = false;
};

/// "16M", "512k", "1000": what the entry of a cache shows and reads.
QString cacheText(int64_t bytes);

} // namespace loopscope
