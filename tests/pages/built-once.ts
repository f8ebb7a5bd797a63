/** For `experimental`: an app that is built once spends a fifth of its build on a cache that nothing reads. */
export const builtOnce = { turbopackFileSystemCacheForBuild: false }
