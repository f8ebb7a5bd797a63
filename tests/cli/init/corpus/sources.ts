import { done, edited, type Form, left } from "./forms.ts"

const SENTRY = `import * as Sentry from "@sentry/nextjs";\n`
const RUNTIMES = `  if (process.env.NEXT_RUNTIME === "nodejs") {\n    await import("./sentry.server.config");\n  }\n`

export const INSTRUMENTATIONS: readonly Form[] = [
  edited("instrumentation.ts", `export function register() {\n  console.log("up");\n}\n`),
  edited("instrumentation.ts", `export async function register() {}\n`),
  edited("instrumentation.ts", `export async function register(): Promise<void> {\n  await import("./other");\n}\n`),
  edited("instrumentation.ts", `export const register = async () => {\n  await import("./other");\n};\n`),
  edited(
    "instrumentation.ts",
    `${SENTRY}\nexport async function register() {\n${RUNTIMES}}\n\nexport const onRequestError = Sentry.captureRequestError;\n`,
  ),
  edited(
    "instrumentation.ts",
    `import { captureRequestError, flush } from "@sentry/nextjs";\n\nexport async function register() {\n  await flush();\n}\n\nexport const onRequestError = captureRequestError;\n`,
  ),
  edited(
    "instrumentation.ts",
    `export async function register() {\n  console.log("up");\n}\n\nexport { captureRequestError as onRequestError } from "@sentry/nextjs";\n`,
  ),
  edited(
    "instrumentation.ts",
    `export async function register() {\n  if (process.env.NEXT_RUNTIME !== "nodejs") return;\n  await import("./other");\n}\n`,
  ),
  edited(
    "instrumentation.ts",
    `import type { Instrumentation } from "next";\n\nexport async function register() {}\n\nexport const onRequestError: Instrumentation.onRequestError = async (error) => {\n  console.error(error);\n};\n`,
  ),
  edited("instrumentation.ts", `import { report } from "./other";\n\nexport const onRequestError = report;\n`),
  edited(
    "instrumentation.ts",
    `import type { Instrumentation } from "next";\n\nexport async function register() {}\n\nexport const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {\n  console.error(error, request.path, context.routePath);\n};\n`,
  ),
  edited(
    "instrumentation.ts",
    `import type { Instrumentation } from "next";\n\nexport const onRequestError: Instrumentation.onRequestError = (failure, request, where) => { console.error(failure, request.path, where.routePath); };\n`,
  ),
  edited(
    "instrumentation.ts",
    `export function onRequestError(failure: unknown, request: { path: string }, where: object) {\n  console.error(failure, request.path, where);\n}\n`,
  ),
  left("instrumentation.ts", `export { register } from "./other";\n`),
  left("instrumentation.ts", `export * from "./other";\n`),
  left(
    "instrumentation.ts",
    `export async function register() {\n  if (!process.env.SENTRY_DSN) return;\n  await import("./other");\n}\n`,
  ),
  left("instrumentation.ts", `export function register(): void {\n  console.log("up");\n}\n`),
  done("instrumentation.ts", `export { register, onRequestError } from "pagespan/server";\n`),
  done(
    "instrumentation.ts",
    `import * as pagespan from "pagespan/server";\n\nexport async function register() {\n  await pagespan.register();\n}\n\nexport const onRequestError = pagespan.onRequestError;\n`,
  ),
]

const LAYOUT_HEAD = `import type { ReactNode } from "react";\nimport "./globals.css";\n\nexport const metadata = { title: "Shop" };\n\n`
const layout = (jsx: string) =>
  `${LAYOUT_HEAD}export default function Layout({ children }: { children: ReactNode }) {\n  return (\n    <html lang="en">\n${jsx}    </html>\n  );\n}\n`

export const LAYOUTS: readonly Form[] = [
  edited("app/layout.tsx", layout(`      <body>{children}</body>\n`)),
  edited("app/layout.tsx", layout(`      <body className="dark">\n        {children}\n      </body>\n`)),
  edited(
    "app/layout.tsx",
    layout(
      `      <body\n        className="dark"\n      >\n        <main>{children}</main>\n        <footer>Shop</footer>\n      </body>\n`,
    ),
  ),
  edited("app/layout.tsx", layout(`      <body>Shop {children}</body>\n`)),
  edited("app/layout.tsx", layout(`      <body>{children} shop</body>\n`)),
  edited(
    "app/layout.tsx",
    layout(
      `      <head>\n        <title>Shop</title>\n      </head>\n      <body>\n        {/* everything */}\n        {children}\n      </body>\n`,
    ),
  ),
  edited(
    "app/layout.tsx",
    `import { type ReactNode, Suspense } from "react";\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return <html lang="en"><body><Suspense>{children}</Suspense></body></html>;\n}\n`,
  ),
  edited(
    "app/layout.tsx",
    `import * as React from "react";\n\nconst Layout = ({ children }: { children: React.ReactNode }) => (\n  <html lang="en">\n    <body>{children}</body>\n  </html>\n);\n\nexport default Layout;\n`,
  ),
  edited(
    "app/layout.tsx",
    `import type { ReactNode } from "react";\n\nexport default async function Layout({ children }: Readonly<{ children: ReactNode }>) {\n  const lang = await Promise.resolve("en");\n  return (\n    <html lang={lang}>\n      <body>{children}</body>\n    </html>\n  );\n}\n`,
  ),
  edited(
    "app/[locale]/layout.tsx",
    `import type { ReactNode } from "react";\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return (\n    <html lang="en">\n      <body>{children}</body>\n    </html>\n  );\n}\n`,
  ),
  left("app/layout.tsx", `export { default } from "./shell";\n`),
  left(
    "app/layout.tsx",
    `import { createElement, type ReactNode } from "react";\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return createElement("html", null, createElement("body", null, children));\n}\n`,
  ),
  left(
    "app/layout.tsx",
    `import type { ReactNode } from "react";\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return process.env.CI ? <body>{children}</body> : <body className="ci">{children}</body>;\n}\n`,
  ),
]

const VIEW = `{ error: Error & { digest?: string }; reset: () => void }`
const BUTTON = `  return <button onClick={() => reset()}>Again</button>;\n`

export const ERROR_VIEWS: readonly Form[] = [
  edited(
    "app/error.tsx",
    `"use client";\n\nexport default function ErrorView({\n  reset,\n}: ${VIEW}) {\n${BUTTON}}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nexport default function ErrorView({ error, reset }: ${VIEW}) {\n  console.log(error.digest);\n${BUTTON}}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nimport { useEffect } from "react";\n\nexport default function ErrorView({ error, reset }: ${VIEW}) {\n  useEffect(() => {\n    console.error(error);\n  }, [error]);\n\n${BUTTON}}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nimport * as React from "react";\n\nexport default function ErrorView({ error: caught, reset }: ${VIEW}) {\n  React.useDebugValue(caught);\n${BUTTON}}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nconst ErrorView = (props: { error: Error; reset: () => void }) => {\n  return <button onClick={props.reset}>{props.error.message}</button>;\n};\n\nexport default ErrorView;\n`,
  ),
  edited("app/error.tsx", `"use client";\n\nexport default function ErrorView({ reset }: ${VIEW}) {\n${BUTTON}}\n`),
  edited(
    "app/error.tsx",
    `"use client";\n\nimport { useEffect } from "react";\nimport * as Sentry from "@sentry/nextjs";\n\nexport default function ErrorView({ error, reset }: ${VIEW}) {\n  useEffect(() => {\n    Sentry.captureException(error);\n  }, [error]);\n\n${BUTTON}}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nimport { reportError } from "../other";\n\nexport default function ErrorView({ error, reset }: ${VIEW}) {\n  reportError(error);\n${BUTTON}}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nexport default function ErrorView() {\n  return <p>Something went wrong</p>;\n}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nconst ErrorView = () => {\n  return <p>Something went wrong</p>;\n};\n\nexport default ErrorView;\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nexport default function Error({ reset }: { reset: () => void }) {\n${BUTTON}}\n`,
  ),
  edited(
    "app/error.tsx",
    `"use client";\n\nexport default function ErrorView({\n  reset,\n}: {\n  reset: () => void;\n}) {\n${BUTTON}}\n`,
  ),
  left(
    "app/error.tsx",
    `"use client";\n\nexport default function ErrorView({ reset }: Readonly<{ reset: () => void }>) {\n${BUTTON}}\n`,
  ),
  left(
    "app/error.tsx",
    `"use client";\n\nconst error = "out of order";\n\nexport default function ErrorView() {\n  return <p>{error}</p>;\n}\n`,
  ),
  left("app/error.tsx", `"use client";\n\nexport default ({ error }: { error: Error }) => <p>{error.message}</p>;\n`),
  left("app/error.tsx", `"use client";\n\nexport { default } from "./shell";\n`),
  done(
    "app/error.tsx",
    `"use client";\n\nimport { Shown } from "./shown";\n\nexport default function ErrorView({ error }: { error: Error }) {\n  return <Shown error={error} />;\n}\n`,
  ),
]

const NEXT = `import { NextResponse } from "next/server";\n\n`
const proxy = (config: string) => `${NEXT}export function proxy() {\n  return NextResponse.next();\n}\n\n${config}`

export const PROXIES: readonly Form[] = [
  edited("proxy.ts", proxy(`export const config = {\n  matcher: "/((?!api|trpc|_next|_vercel|.*\\\\..*).*)",\n};\n`)),
  edited(
    "proxy.ts",
    proxy(
      `export const config = {\n  matcher: ["/((?!_next|[^?]*\\\\.(?:html?|css|js(?!on)|png)).*)", "/(api|trpc)(.*)"],\n};\n`,
    ),
  ),
  edited(
    "proxy.ts",
    proxy(`export const config = { matcher: ["/((?!_next/static|_next/image|favicon.ico).*)"] } as const;\n`),
  ),
  edited("proxy.ts", proxy(`export const config = { matcher: "/:path*" };\n`)),
  edited("proxy.ts", proxy(`export const config = { matcher: ["/(.*)"] };\n`)),
  edited("proxy.ts", proxy("export const config = { matcher: [`/((?!api).*)`] };\n")),
  edited(
    "proxy.ts",
    proxy(
      `export const config = {\n  matcher: [\n    {\n      source: "/((?!api).*)",\n      missing: [{ type: "header", key: "next-router-prefetch" }],\n    },\n  ],\n};\n`,
    ),
  ),
  edited("proxy.ts", `${NEXT}export function proxy() {\n  return NextResponse.next();\n}\n`),
  left("proxy.ts", proxy(`export const config = { matcher: "/:locale/:path*" };\n`)),
  left("proxy.ts", proxy(`const matcher = ["/((?!api).*)"].concat("/a");\n\nexport const config = { matcher };\n`)),
  left(
    "proxy.ts",
    `${NEXT}export { config } from "./other";\n\nexport function proxy() {\n  return NextResponse.next();\n}\n`,
  ),
  done("proxy.ts", proxy(`export const config = { matcher: ["/", "/(de|en)/:path*", "/dashboard/:path*"] };\n`)),
  done("proxy.ts", proxy(`export const config = { matcher: "/((?!monitoring|api).*)" };\n`)),
]

export const SENTRY_INITS: readonly Form[] = [
  edited(
    "sentry.server.config.ts",
    `${SENTRY}\nSentry.init({\n  dsn: "https://key@sentry.test/1",\n  // How many\n  tracesSampleRate: 1,\n  debug: false,\n});\n`,
  ),
  edited(
    "sentry.server.config.ts",
    `${SENTRY}\nconst options = { dsn: "https://key@sentry.test/1", tracesSampleRate: 0.1 };\n\nSentry.init(options);\n`,
  ),
  edited(
    "sentry.server.config.ts",
    `${SENTRY}\nconst shared = { tracesSampleRate: 0.1 };\n\nSentry.init({ ...shared, debug: true });\n`,
  ),
  edited(
    "sentry.server.config.ts",
    `import { init } from "@sentry/nextjs";\n\ninit({ debug: true, tracesSampler: () => 1, tracesSampleRate: 1 });\n`,
  ),
  left(
    "sentry.server.config.ts",
    `${SENTRY}import { options } from "./sentry.options";\n\nSentry.init({ ...options, debug: true });\n`,
  ),
  done("sentry.server.config.ts", `${SENTRY}\nSentry.init({ debug: true });\n`),
]
