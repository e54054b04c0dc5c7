#pragma once
// Above PTX and machine code: what each kernel takes of the GPU, a line each, and why its registers are not known.

#include "views/session/gpu_code.h"
#include "views/settings/theme.h"

#include <QWidget>

class QLabel;

namespace loopscope {

class KernelBar : public QWidget {
    Q_OBJECT

  public:
    KernelBar(Theme &theme, QWidget *parent);
    void show(const GpuCode &code);

  private:
    void applyTheme();

    Theme &m_theme;
    QLabel *m_text = nullptr;
};

} // namespace loopscope
