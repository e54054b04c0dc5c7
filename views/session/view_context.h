#pragma once
// What every view is built with.

#include "views/actions/actions.h"
#include "views/session/session.h"
#include "views/settings/settings.h"
#include "views/settings/theme.h"

namespace loopscope {

struct ViewContext {
    Session &session;
    Settings &settings;
    Theme &theme;
    Actions &actions;
};

} // namespace loopscope
