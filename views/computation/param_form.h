#pragma once
// The parameters of a workload as a form: each with the value of the file as its default, changed ones marked and put
// back by a button; shapes of real networks to choose from.

#include "views/computation/shape_presets.h"
#include "views/settings/theme.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QSpinBox;
class QToolButton;

namespace loopscope {

class ParamForm : public QWidget {
    Q_OBJECT

  public:
    explicit ParamForm(Theme &theme, QWidget *parent = nullptr);

    /// Parameters with the values to show; presets that fit them.
    void setParams(const std::vector<WorkloadParam> &params, std::vector<ShapePreset> presets);
    [[nodiscard]] const std::vector<WorkloadParam> &params() const { return m_params; }
    /// What differs from the file.
    [[nodiscard]] ParamOverrides overrides() const;
    void reset();
    void focusFirst();
    [[nodiscard]] QComboBox *presetBox() const { return m_presetBox; }
    [[nodiscard]] QSpinBox *field(const QString &name) const;

  signals:
    void changed(const loopscope::ParamOverrides &overrides);

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Field {
        QWidget *cell;
        QLabel *name;
        QSpinBox *value;
        QToolButton *reset;
    };
    void build();
    void arrange();
    void fillPresets();
    void applyPreset(int item);
    void refresh();

    Theme &m_theme;
    std::vector<WorkloadParam> m_params;
    std::vector<ShapePreset> m_presets;
    std::vector<Field> m_fields;
    int m_columns = 0;
    bool m_setting = false;
    QLabel *m_presetLabel;
    QComboBox *m_presetBox;
    QWidget *m_cells;
    QGridLayout *m_grid;
};

} // namespace loopscope
