import { withPagespan } from "pagespan/next"

/** No screen shows an image that has to be made smaller: what reads and decodes images on request is off. */
const images = { unoptimized: true }

/** Sentry's SDKs post to `/api/{project}/envelope/`, and not all of them follow a redirect. */
const skipTrailingSlashRedirect = true

/** `npm run types` checks types, of the tests as well. The first start of a checkout does not wait for that. */
const typescript = { ignoreBuildErrors: true }

/** Equal sources make an equal build: `otel/cli/server/build.ts` sets their digest. Without it, Next draws an id. */
const generateBuildId = () => process.env["PAGESPAN_BUILD_ID"] ?? null

/** A browser that has parsed no `<link rel="icon">` yet, in a page that streams, asks for this one. */
const rewrites = async () => [{ source: "/favicon.ico", destination: "/icon.svg" }]

/**
 * Every user agent gets the title with the page. Where it streams after the page, Next removes it at each refresh, and the
 * tab has none until it arrives again. So metadata awaits no slow query: `app/_query/late-title.tsx` is for these.
 */
const htmlLimitedBots = /.*/

/** The same sources, committed twice, make the same package: no commit becomes part of it. */
const release = false

const experimental = {
  /** A start loads no screen before someone opens it: loading all of them takes a fifth of a start's CPU time. */
  preloadEntriesOnStart: false,
  /** Nothing reads source maps of the server. They take a tenth of a build, and three quarters of its size. */
  turbopackSourceMaps: false,
  /** The first start of a checkout does not wait for a cache, whose writing takes a quarter of a build (`build.ts`). */
  turbopackFileSystemCacheForBuild: process.env["PAGESPAN_BUILD_CACHE"] === "on",
}

export default withPagespan(
  {
    poweredByHeader: false,
    images,
    rewrites,
    htmlLimitedBots,
    skipTrailingSlashRedirect,
    typescript,
    generateBuildId,
    experimental,
  },
  { pageModule: "./app/page-module.ts", release },
)
