import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as standIn from "pagespan/without-sentry"
import { expect, test } from "vitest"
import { filesBelow } from "#otel/cli/package/library.ts"
import { packPackage } from "./foreign-app.ts"

test("the replacement for Sentry's packages exports every name that the package imports from them", async () => {
  await packPackage()
  const lib = join(process.cwd(), "dist/package/lib")
  const texts = filesBelow(lib)
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(file, "utf8"))
  const named = texts.flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from "@sentry\/[a-z]+"/g)])
  const spaces = texts.filter((text) => text.includes(`import * as Sentry from "@sentry/nextjs"`))
  const imported = [
    ...named.flatMap(([, names]) => names!.split(",").map((name) => name.trim().split(" as ")[0]!)),
    ...spaces.flatMap((text) => [...text.matchAll(/\bSentry\.(\w+)/g)].map(([, name]) => name!)),
  ].filter((name) => name !== "")
  expect(imported.length).toBeGreaterThan(8)
  expect(imported.filter((name) => !(name in standIn))).toEqual([])
})
