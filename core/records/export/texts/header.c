@ABOUT@
#ifndef @GUARD@
#define @GUARD@

#include <stdint.h>
@BOOL@@HALF@
#ifdef __cplusplus
extern "C" {
#endif

@PROTOTYPE@;

#ifdef __cplusplus
}
#endif
@PACKING@
#endif
