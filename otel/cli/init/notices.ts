import { handlerErrorsProblem, pageStart } from "../../protocol/next-versions.ts"
import { sentryProblem, sentryUpgrade } from "../../protocol/sentry-versions.ts"
import { type AppFiles, configPath, findScript, readText, resolveImport, sourceScripts } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { hasSentryInPages } from "./edit-sentry.ts"
import { leftToAuthor, type Note } from "./edit.ts"
import { nextVersion } from "./next-version.ts"
import { sentryVersion } from "./sentry-version.ts"
import { child, children, mentions, nameOf, type Node, nodesBelow, stringOf } from "./syntax.ts"
import { turborepoNotice } from "./turborepo-notice.ts"

const PROCESSOR = "PagespanSpanProcessor"
const STATIC_EXPORT =
  'output: "export" has no server: wrap your configuration in withPagespan, put <RouteObserver /> into the root layout, and ' +
  "set SENTRY_DSN for the build. init changes nothing in this app"

/** What only the author of the app can decide, in words. A notice goes when it is done. */
export function noticesFor(app: AppFiles): Note[] {
  return [
    ...oldNext(app),
    ...oldSentry(app),
    ...otherSdk(app),
    ...sentryTunnel(app),
    ...turborepoNotice(app),
    ...silentBoundaries(app),
  ]
}

/** The notice for an app without a server, where every edit would be in vain. */
export function staticExport(app: AppFiles): Note | undefined {
  const properties = configProperties(app, "output")
  const isExport = properties.some((each) => stringOf(child(each, "value")) === "export")
  return isExport ? leftToAuthor(configPath(app.directory) ?? "", STATIC_EXPORT, []) : undefined
}

/** The path of the tunnel: `tunnelRoute` of `withPagespan` if it is set. */
export function tunnelPath(app: AppFiles): string {
  const options = configCalls(app, "withPagespan").flatMap((call) => children(call, "arguments").slice(1))
  const route = options.flatMap((each) => children(each, "properties")).find(isNamed("tunnelRoute"))
  return stringOf(route && child(route, "value")) ?? "/monitoring"
}

function oldNext(app: AppFiles): Note[] {
  const version = nextVersion(app)
  const unsupported = `Next ${version} is not supported: upgrade to 15.3 or later`
  const problem = pageStart(version) === "unsupported" ? unsupported : handlerErrorsProblem(version)
  return problem === undefined ? [] : [leftToAuthor("package.json", problem, [])]
}

/** An upgrade within the major version is part of the installation. */
function oldSentry(app: AppFiles): Note[] {
  const version = sentryVersion(app)
  const problem = sentryUpgrade(version) === undefined ? sentryProblem(version) : undefined
  return problem === undefined ? [] : [leftToAuthor("package.json", problem, [])]
}

/** The set-ups of a tracer that an app may have, and how each gets Pagespan's span processor. */
const OTHER_SDKS = [
  {
    from: "@vercel/otel",
    /** Earlier ones are made for OpenTelemetry's SDK 1, whose spans Pagespan's processor cannot read. */
    firstMajor: 2,
    name: "registerOTel of @vercel/otel",
    line: 'spanProcessors: ["auto", new PagespanSpanProcessor({ exportToCollector: false })], // an option of registerOTel',
  },
  {
    from: "@opentelemetry/sdk-node",
    firstMajor: 0,
    name: "NodeSDK of @opentelemetry/sdk-node",
    line: "spanProcessors: [new PagespanSpanProcessor()], // an option of NodeSDK, beside your own processors",
  },
]

function otherSdk(app: AppFiles): Note[] {
  const path = findScript(app, `${app.base}instrumentation`)
  const program = path === undefined ? undefined : Draft.open(app, path)?.program
  if (path === undefined || program === undefined) return []
  // `register` often imports a file for each runtime.
  const imported = [...nodesBelow(program)].flatMap((node) => resolveImport(app, path, stringOf(node) ?? "") ?? [])
  return OTHER_SDKS.flatMap(({ from, firstMajor, name, line }) => {
    const caller = [path, ...imported].find((file) => {
      const other = Draft.open(app, file)?.program
      return other !== undefined && mentions(other, from) && !mentions(other, PROCESSOR)
    })
    const [major = firstMajor] = numbersIn(app.packages.get(from))
    const upgrade = major < firstMajor ? `upgrade ${from} from ${major} to ${firstMajor}: ` : ""
    const task = `${upgrade}${name} makes the server's spans, and Pagespan gets them with a span processor`
    const lines = [`import { ${PROCESSOR} } from "pagespan/server"`, line]
    return caller === undefined ? [] : [leftToAuthor(caller, task, lines)]
  })
}

function sentryTunnel(app: AppFiles): Note[] {
  const options = configCalls(app, "withSentryConfig").flatMap((call) => children(call, "arguments").slice(1))
  const route = options.flatMap((each) => children(each, "properties")).find(isNamed("tunnelRoute"))
  const tunnel = tunnelPath(app)
  const isShared = stringOf(route && child(route, "value")) === tunnel
  const isUsed = hasSentryInPages(app)
  if (route === undefined || (isUsed && !isShared)) return []
  const advice = isUsed
    ? `set it to another path than ${tunnel}, for your Sentry.init alone`
    : "remove it: no page calls Sentry.init"
  const task = `tunnelRoute of withSentryConfig is a tunnel beside Pagespan's ${tunnel}: ${advice}`
  return [leftToAuthor(configPath(app.directory) ?? "", task, [])]
}

const BOUNDARIES = "react-error-boundary"
/** Files that are listed. */
const NAMED_FILES = 3

/**
 * React hides what a boundary caught from global handlers, and `react-error-boundary` has no handler for all boundaries. Only the
 * author can decide which of them report.
 */
function silentBoundaries(app: AppFiles): Note[] {
  if (!app.packages.has(BOUNDARIES)) return []
  const reports = hasSentryInPages(app) ? /\b(?:reportError|captureException)\b/ : /\breportError\b/
  const files = sourceScripts(app).filter((path) => {
    const text = readText(app.directory, path) ?? ""
    return text.includes(BOUNDARIES) && /\b(?:with)?ErrorBoundary\b/.test(text) && !reports.test(text)
  })
  if (files.length === 0) return []
  const others = files.length > NAMED_FILES ? ` and ${files.length - NAMED_FILES} more` : ""
  const task = `nobody reports what an ErrorBoundary of ${BOUNDARIES} catches in a page: report it`
  const handlers = files.filter((path) => /\bonError\b/.test(readText(app.directory, path) ?? ""))
  const lines = [
    'import { reportError } from "pagespan/react"',
    ...(handlers.length === files.length ? [] : ["<ErrorBoundary onError={reportError} … >"]),
    ...(handlers.length > 0 ? ["reportError(error) // in the onError that a boundary has"] : []),
  ]
  return [leftToAuthor(`${files.slice(0, NAMED_FILES).join(", ")}${others}`, task, lines)]
}

const isNamed = (name: string) => (property: Node) => nameOf(child(property, "key")) === name

function configNodes(app: AppFiles): Node[] {
  const path = configPath(app.directory)
  const program = path === undefined ? undefined : Draft.open(app, path)?.program
  return program === undefined ? [] : [...nodesBelow(program)]
}

function configProperties(app: AppFiles, name: string): Node[] {
  return configNodes(app).filter((node) => node.type === "ObjectProperty" && isNamed(name)(node))
}

function configCalls(app: AppFiles, name: string): Node[] {
  return configNodes(app).filter((node) => node.type === "CallExpression" && nameOf(child(node, "callee")) === name)
}

/** The numbers of the version in a range, such as `^16.4`. */
function numbersIn(range = ""): number[] {
  const version = /\d+(?:\.\d+)*/.exec(range)?.[0]
  return version === undefined ? [] : version.split(".").map(Number)
}
