#pragma once
// Asks for the numbers of a network's symbolic dims: kernels are made for known sizes alone, and what depends on a size
// can be checked only when there is one.

#include "views/session/network_contents.h"

#include <QDialog>

#include <string>
#include <utility>
#include <vector>

class QSpinBox;

namespace loopscope {

struct OpenNetwork;

class DimsDialog : public QDialog {
    Q_OBJECT

  public:
    /// Of the symbols that have no number and those that were given one.
    DimsDialog(const OpenNetwork &network, QWidget *parent);
    /// Of the symbols for which there is one now.
    [[nodiscard]] NetworkDims dims() const;

  private:
    std::vector<std::pair<std::string, QSpinBox *>> m_fields;
};

/// Symbols of the network, with or without a number: there is something to ask for.
bool hasSymbols(const OpenNetwork *network);

} // namespace loopscope
