import { NEXT_APP_ROUTER_PLAYGROUND } from "./apps/next-app-router-playground.ts"
import { NEXT_ENTERPRISE } from "./apps/next-enterprise.ts"
import { NEXT_INTL } from "./apps/next-intl.ts"
import { NEXT_JS_BOILERPLATE } from "./apps/next-js-boilerplate.ts"
import { NEXT_SHADCN_ADMIN_DASHBOARD } from "./apps/next-shadcn-admin-dashboard.ts"
import { SAAS_STARTER } from "./apps/saas-starter.ts"
import { SENTRY_NEXTJS_16 } from "./apps/sentry-nextjs-16.ts"
import { TAILWIND_NEXTJS_STARTER_BLOG } from "./apps/tailwind-nextjs-starter-blog.ts"
import { VERCEL_OTEL } from "./apps/vercel-otel.ts"
import type { PublicApp } from "./public-app.ts"

/** The public apps, in the order of the table. */
export const PUBLIC_APPS: readonly PublicApp[] = [
  ...NEXT_INTL,
  NEXT_APP_ROUTER_PLAYGROUND,
  NEXT_SHADCN_ADMIN_DASHBOARD,
  NEXT_ENTERPRISE,
  VERCEL_OTEL,
  TAILWIND_NEXTJS_STARTER_BLOG,
  SENTRY_NEXTJS_16,
  NEXT_JS_BOILERPLATE,
  SAAS_STARTER,
]

/**
 * The apps with these names.
 *
 * @param names none: all apps.
 * @throws {Error} that lists the names, if there is no such app.
 */
export function appsNamed(names: readonly string[]): readonly PublicApp[] {
  const unknown = names.filter((name) => !PUBLIC_APPS.some((app) => app.name === name))
  if (unknown.length > 0)
    throw new Error(`no public app ${unknown.join(", ")}. There are ${PUBLIC_APPS.map(({ name }) => name).join(", ")}`)
  return names.length === 0 ? PUBLIC_APPS : PUBLIC_APPS.filter(({ name }) => names.includes(name))
}
