#pragma once
// QCustomPlot's header says `foreach`, which our build leaves out of Qt (QT_NO_FOREACH): the word exists while it is
// read. Include this, never <qcustomplot.h>.

#include <QtGlobal>

#ifdef foreach
#error "foreach is already defined; QCustomPlot may be included directly"
#endif
#define foreach(variable, container) for (variable : container)
#include <qcustomplot.h>
#undef foreach
