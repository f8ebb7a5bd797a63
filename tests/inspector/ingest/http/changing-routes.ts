import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { sourceFilesBelow } from "#tests/support/source-files.ts"

/**
 * Routes of the read API that change something, or read by a long query in a body, by the exports of their files. Sentry's
 * ingest endpoints, which are beside them, are none.
 */
export const CHANGING_ROUTES: readonly { readonly method: string; readonly path: string }[] = sourceFilesBelow(
  "app/api",
)
  .filter((file) => file.endsWith("/route.ts") && !file.includes("[project]"))
  .flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/export const (POST|PUT|PATCH|DELETE) =/g)].map(([, method = ""]) => ({
      method,
      path: `/${dirname(file)
        .replace(/^app\//, "")
        .replaceAll(/\[\w+\]/g, "0000000000000000")}`,
    })),
  )
