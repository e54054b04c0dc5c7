#pragma once
// A plot as a file: the picture as shown, or its table.

#include "views/plot/custom_plot.h"

#include <QStringList>

#include <functional>

namespace loopscope {

/// The suffix decides, and is one of `known`; `table` is asked for "csv". Empty on success, else one sentence with path
/// and cause.
QString exportPlot(QCustomPlot &plot, const QStringList &known, const std::function<QString()> &table,
                   const QString &path);

} // namespace loopscope
