/** For `experimental`: an app that is built once spends a fifth of its build on a cache that nothing reads. */
export const builtOnce = { turbopackFileSystemCacheForBuild: false }

/** `npm run types` checks all apps here in three seconds. A build takes five for one app, and checks Pagespan's sources again. */
export const typesChecked = { typescript: { ignoreBuildErrors: true } }

/**
 * Of the rest, a third goes into source maps and smaller code of the server, which matter to benchmarks and to tests of
 * source maps. The apps in `tests/package/apps` are built as Next builds by default.
 */
export const builtForTests = {
  ...typesChecked,
  experimental: { ...builtOnce, turbopackSourceMaps: false, serverMinification: false },
}
