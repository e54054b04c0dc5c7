
#if defined(__cplusplus) || (defined(__clang__) && __clang_major__ < 15)
typedef uint16_t @NAME@_float16;
#else
typedef _Float16 @NAME@_float16;
#endif
