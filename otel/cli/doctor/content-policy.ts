import type { Finding } from "./finding.ts"

/** What the tracer of a page connects to. */
export interface Connections {
  readonly page: URL
  /** `undefined`: the page posts to the DSN's host. */
  readonly tunnel: URL | undefined
  readonly dsn: string | undefined
}

/**
 * What a content security policy of the page forbids its tracer. The browser says the same of a page that it opens; this needs
 * none. A policy allows what each of several headers allows.
 */
export function policyFindings(policy: string | null, { page, tunnel, dsn }: Connections): Finding[] {
  const target = tunnel ?? (dsn !== undefined && URL.canParse(dsn) ? new URL(new URL(dsn).origin) : undefined)
  if (policy === null || target === undefined) return []
  return policy.split(",").flatMap((each) => {
    const directives = directivesOf(each)
    const sources = directives.get("connect-src") ?? directives.get("default-src")
    if (sources === undefined || sources.some((source) => allows(source, target, page))) return []
    const needed = target.origin === page.origin ? "'self'" : target.origin
    const name = directives.has("connect-src") ? "connect-src" : "default-src"
    return [
      {
        text: `the content security policy does not let pages connect to ${target.origin === page.origin ? target.pathname : target.origin}`,
        fix: name === "connect-src" ? `add ${needed} to connect-src` : `add connect-src ${needed}`,
      },
    ]
  })
}

function directivesOf(policy: string): Map<string, readonly string[]> {
  const directives = policy.split(";").map((text) => text.trim().split(/\s+/))
  return new Map(directives.map(([name = "", ...sources]) => [name.toLowerCase(), sources]))
}

/** Whether a source expression covers an address. Ports and paths of hosts are left to the browser. */
function allows(source: string, target: URL, page: URL): boolean {
  const expression = source.toLowerCase()
  if (expression === "*") return /^https?:$/.test(target.protocol)
  if (expression === "'self'") return target.origin === page.origin
  if (/^[a-z][a-z0-9+.-]*:$/.test(expression)) return target.protocol === expression
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(\*\.)?([^/:']+)/.exec(expression)
  if (host === null) return false
  const [, wildcard, name = ""] = host
  return wildcard === undefined ? target.hostname === name : target.hostname.endsWith(`.${name}`)
}
