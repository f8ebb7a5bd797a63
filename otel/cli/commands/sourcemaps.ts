import type { Argv } from "yargs"
import { CommandError, EXIT } from "../exit.ts"
import { type Connection, withConnection } from "../options.ts"
import type { BuildOutput } from "../source-maps/build-output.ts"
import type { Prepared } from "../source-maps/prepare.ts"
import type { SentryAccount } from "../source-maps/sentry-upload.ts"
import { byteText, countText } from "../terminal.ts"

const TARGETS = ["sentry", "inspector"] as const
type Target = (typeof TARGETS)[number]

export function sourcemapsCommand(parser: Argv): Argv {
  return parser.command(
    "sourcemaps [directory]",
    "Upload the source maps of a build, so that stack traces show your sources",
    (command) =>
      withConnection(command)
        .positional("directory", { type: "string", default: ".", describe: "Directory of the app, or of its build" })
        .option("to", {
          type: "string",
          array: true,
          choices: TARGETS,
          describe: "Where to upload to",
          defaultDescription: "sentry if SENTRY_AUTH_TOKEN is set, else inspector",
        })
        .option("org", { alias: "o", type: "string", describe: "Organization of Sentry (SENTRY_ORG)" })
        .option("project", {
          alias: "p",
          type: "string",
          array: true,
          describe: "Project of Sentry, or several (SENTRY_PROJECT)",
        })
        .option("release", {
          alias: "r",
          type: "string",
          describe: "Release of the build (SENTRY_RELEASE)",
          defaultDescription: "that of withPagespan",
        })
        .option("dist", { alias: "d", type: "string", describe: "Distribution of the release (SENTRY_DIST)" })
        .option("delete-after-upload", {
          type: "boolean",
          default: false,
          describe: "Delete the source maps that browsers could load",
        })
        .option("dry-run", {
          type: "boolean",
          default: false,
          describe: "Print what would be uploaded; change and send nothing",
        })
        .example("next build && $0 sourcemaps", "To the Sentry of SENTRY_AUTH_TOKEN, SENTRY_ORG and SENTRY_PROJECT")
        .example("$0 sourcemaps --to inspector", "To the inspector on this machine"),
    (options) => sourcemaps(options),
  )
}

interface Options extends Connection {
  readonly directory: string
  readonly to?: readonly Target[] | undefined
  readonly org?: string | undefined
  readonly project?: readonly string[] | undefined
  readonly release?: string | undefined
  readonly dist?: string | undefined
  readonly deleteAfterUpload: boolean
  readonly dryRun: boolean
}

/**
 * `pagespan sourcemaps`: gives the scripts of a build debug ids, and uploads them with their source maps.
 *
 * @throws {CommandError} when there is nothing to upload, and when a target does not accept it.
 */
async function sourcemaps(options: Options): Promise<void> {
  const { readBuild } = await import("../source-maps/build-output.ts")
  const { deletePublicMaps, prepare } = await import("../source-maps/prepare.ts")
  const { sentryAccount, sentryVariables } = await import("../source-maps/sentry-settings.ts")
  const build = readBuild(options.directory)
  const variables = sentryVariables(options.directory)
  const targets = options.to ?? [variables["SENTRY_AUTH_TOKEN"] ? "sentry" : "inspector"]
  // Before a file is changed: a setting that is missing must not leave half of the work done.
  const account = targets.includes("sentry") && !options.dryRun ? sentryAccount(options, variables) : undefined
  const prepared = prepare(build, options.dryRun)
  report(build, prepared, options.dryRun)
  if (options.dryRun) return
  const release = options.release ?? (variables["SENTRY_RELEASE"] || build.release)
  const dist = options.dist ?? (variables["SENTRY_DIST"] || undefined)
  if (account !== undefined) console.log(await uploadToSentry(account, prepared, release, dist))
  if (targets.includes("inspector")) console.log(await uploadToInspector(options, prepared))
  if (!options.deleteAfterUpload) return
  console.log(`Deleted ${countText(deletePublicMaps(build), "source map")} that browsers could load`)
}

/** Returns what Sentry has now. */
async function uploadToSentry(
  account: SentryAccount,
  { uploads }: Prepared,
  release: string | undefined,
  dist: string | undefined,
): Promise<string> {
  const { SentryUploader } = await import("../source-maps/sentry-upload.ts")
  const { sourceBundle } = await import("../source-maps/source-bundle.ts")
  const uploader = new SentryUploader(account)
  if (release !== undefined) await uploader.createRelease(release)
  const bundle = sourceBundle(uploads, { ...account, release, dist })
  const { sentBytes, isProcessed } = await uploader.upload(bundle, { release, dist })
  const sent = sentBytes === 0 ? "it had them already" : `${byteText(sentBytes)} sent`
  const name = release === undefined ? "without a release" : `of release ${release}`
  const state = isProcessed ? "" : "; it still processes them"
  const { organization, projects, url } = account
  return `${url} has the source maps of ${organization}/${projects.join(",")} ${name}: ${sent}${state}`
}

/** Returns what the inspector has now. */
async function uploadToInspector(connection: Connection, { uploads }: Prepared): Promise<string> {
  const { gzipSync } = await import("node:zlib")
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  for (const { debugId, path, map } of uploads) {
    const address = `/api/source-maps/${debugId}?${new URLSearchParams({ path })}`
    await client.post(address, gzipSync(map), { "content-encoding": "gzip" })
  }
  return `The inspector at ${connection.url} has ${countText(uploads.length, "source map")}`
}

function report({ scripts, unmapped }: BuildOutput, prepared: Prepared, isDryRun: boolean): void {
  const { uploads, skipped, injected } = prepared
  if (isDryRun) for (const { debugId, path } of uploads) console.log(`${debugId}  ${path}`)
  for (const { path, reason } of skipped) console.error(`${path} ${reason}: it is left out`)
  if (uploads.length === 0)
    throw new CommandError(
      scripts.length > 0
        ? "No script of this build can be uploaded"
        : "This build has no source maps: set sourceMaps: true in the options of withPagespan and build again, or they were deleted after an earlier upload",
      EXIT.failed,
    )
  const ids = injected === 0 ? "" : `, ${injected} ${isDryRun ? "would get" : "got"} a debug id`
  const others = unmapped === 0 ? "" : `; ${countText(unmapped, "script")} without one`
  console.log(`${countText(uploads.length, "script")} with a source map${ids}${others}`)
}
