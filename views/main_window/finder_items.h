#pragma once
// What the palettes offer: every action, and everything one can go to.

#include "views/palette/command_palette.h"
#include "views/session/view_context.h"
#include "views/start_page/sample_list.h"

namespace loopscope {

std::vector<PaletteItem> commandItems(const ViewContext &context, const std::function<void(QAction *)> &run);
/// Stages, sketches and trials of the document shown; open workloads with their tasks, samples and recent files.
std::vector<PaletteItem> finderItems(const ViewContext &context, const std::vector<Sample> &samples,
                                     const std::function<void(const QStringList &)> &open);

} // namespace loopscope
