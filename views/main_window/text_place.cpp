#include "views/main_window/text_place.h"

#include "views/text/code_text.h"

namespace loopscope {

void goToLine(QWidget &view, int line, int column) {
    if (auto *text = view.findChild<CodeText *>()) text->goTo(line, column);
}

} // namespace loopscope
