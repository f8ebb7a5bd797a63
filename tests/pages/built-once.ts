/** For `experimental`: an app that is built once spends a fifth of its build on a cache that nothing reads. */
export const builtOnce = { turbopackFileSystemCacheForBuild: false }

/**
 * Of the rest, a third goes into source maps and smaller code of the server, which matter to benchmarks and to tests of
 * source maps. The apps in `tests/package/apps` are built as Next builds by default.
 */
export const builtForTests = { ...builtOnce, turbopackSourceMaps: false, serverMinification: false }
