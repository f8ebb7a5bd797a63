import { pathToFileURL } from "node:url"
import { createElement } from "react"
import * as React from "react"
import { renderToStaticMarkup } from "react-dom/server"

/**
 * Runs the files of apps with stubs of the packages that they import, and prints what each does. A process for all of them,
 * since each start costs a second.
 */

const PHASE = "phase-production-build"
const HOOKS = React.__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE

const KINDS = {
  "next.config": async (module) => {
    const exported = defaultOf(module)
    const config =
      typeof exported === "function" ? await exported(PHASE, { defaultConfig: { base: 1 } }) : await exported
    return JSON.parse(JSON.stringify(config, (_, value) => (value instanceof RegExp ? String(value) : value)))
  },
  instrumentation: async (module) => {
    globalThis.calls = []
    await module.register?.()
    await module.onRequestError?.(new Error("failed"), {}, {})
    return globalThis.calls
  },
  layout: async (module) => {
    const layout = module.default({ children: "page", params: {} })
    return renderToStaticMarkup(layout instanceof Promise ? await layout : layout)
  },
  error: (module) => {
    globalThis.calls = []
    const failure = new Error("failed")
    HOOKS.H = { useEffect: (effect) => void effect(), useDebugValue() {} }
    module.default({ error: failure, reset() {} })
    HOOKS.H = null
    return globalThis.calls
  },
  proxy: (module) => module.config ?? null,
  sentry: () => globalThis.initialized,
}

function defaultOf(module) {
  const { default: exported = module } = module
  return exported
}

globalThis.createElement = createElement
process.env.NEXT_RUNTIME = "nodejs"
const print = process.stdout.write.bind(process.stdout)
console.error = () => undefined
console.log = (line) => void globalThis.calls?.push(`log ${line}`)
const results = []
for (const { kind, file } of JSON.parse(process.argv[2])) {
  globalThis.initialized = []
  // The query makes a module of its own: another file may have imported this one.
  results.push(await KINDS[kind](await import(`${pathToFileURL(file)}?${kind}`)))
}
print(JSON.stringify(results))
