import { describe, expect, test } from "vitest"
import { planInit } from "#otel/cli/init/plan.ts"
import { appOnDisk, LAYOUT } from "./app-on-disk.ts"

/** The lines of the file that import from React after the edits of `pagespan init`. */
async function reactImports(path: string, text: string): Promise<string | undefined> {
  const plan = planInit(await appOnDisk({ "app/layout.tsx": LAYOUT, [path]: text }))
  const after = plan?.edits.find((edit) => edit.path === path)?.after
  return after?.match(/^import[^;]*?["']react["'];?/gm)?.join("\n")
}

describe("init adds the name that it needs to a layout's import from React:", () => {
  test.each([
    [`import { cache } from "react"`, `import { cache, Suspense } from "react"`],
    [`import { type ReactNode, cache } from 'react';`, `import { type ReactNode, cache, Suspense } from 'react';`],
    [`import {cache,} from "react"`, `import {cache, Suspense,} from "react"`],
    [`import {\n  cache,\n  use,\n} from "react"`, `import {\n  cache,\n  use,\n  Suspense,\n} from "react"`],
    [
      `import {\r\n\tcache,\r\n\tuse\r\n} from "react"`,
      `import {\r\n\tcache,\r\n\tuse,\r\n\tSuspense\r\n} from "react"`,
    ],
    [`import React from "react"`, `import React, { Suspense } from "react"`],
    [`import React, { cache } from "react"`, `import React, { cache, Suspense } from "react"`],
  ])("%j", async (before, after) => {
    const rest = `\n\nvoid [typeof React, typeof cache, typeof use]\n\n${LAYOUT}`
    const lines = before.includes("\r") ? rest.replaceAll("\n", "\r\n") : rest
    expect(await reactImports("app/layout.tsx", before + lines)).toBe(after)
  })
})

test("init adds the name that it needs to an error view's import from React", async () => {
  const view = `export default function View({ error }) {\n  useState(0)\n  return <p>{String(error)}</p>\n}\n`
  const text = `"use client"\n\nimport { useState } from "react"\n\n${view}`
  expect(await reactImports("app/error.jsx", text)).toBe(`import { useState, useEffect } from "react"`)
})

test.each([`import type { ReactNode } from "react"`, `import * as React from "react"`, `import "react"`])(
  "init leaves an import from React as it is that can hold no name of a value: %s",
  async (before) => {
    expect(await reactImports("app/layout.tsx", `${before}\n\n${LAYOUT}`)).toBe(
      `${before}\nimport { Suspense } from "react"`,
    )
  },
)
