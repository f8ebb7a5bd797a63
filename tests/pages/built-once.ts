/** For `experimental`: an app that is built once spends a fifth of its build on a cache that nothing reads. */
export const builtOnce = { turbopackFileSystemCacheForBuild: false }

/** `npm run types` checks all apps in this folder at once. Each build would check Pagespan's sources again, for five seconds. */
export const withoutTypeCheck = { typescript: { ignoreBuildErrors: true } }

/**
 * For the app as a whole. It also leaves out source maps and small code of the server, a third of the rest of a build: they
 * matter to benchmarks and to tests of source maps alone.
 */
export const builtForTests = {
  ...withoutTypeCheck,
  experimental: { ...builtOnce, turbopackSourceMaps: false, serverMinification: false },
}
