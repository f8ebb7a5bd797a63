import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { billOfMaterials } from "#otel/cli/package/sbom.ts"

interface Bom {
  readonly bomFormat: string
  readonly specVersion: string
  readonly metadata: { readonly component: { readonly name: string } }
  readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface Locked {
  readonly name?: string
  readonly version: string
  readonly dev?: true
}

test("the bill of materials has every package that is pinned for use, and none for development alone", async () => {
  const text = await billOfMaterials(process.cwd())
  const bom = JSON.parse(text) as Bom
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> }
  const used = Object.entries(packages).filter(([path, { dev }]) => path.startsWith("node_modules/") && !dev)
  const names = used.map(([path, { name, version }]) => `${name ?? path.split("node_modules/").at(-1)}@${version}`)
  expect(bom.components.map(({ name, version }) => `${name}@${version}`).toSorted()).toEqual(
    [...new Set(names)].toSorted(),
  )
  expect(names.some((name) => name.startsWith("vitest@"))).toBe(false)
  for (const { purl } of bom.components) expect(purl).toMatch(/^pkg:npm\//)
  const refs = new Set([...names, "pagespan@0.1.0"])
  expect(
    bom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref)),
  ).toEqual([])
  expect([bom.bomFormat, bom.specVersion, bom.metadata.component.name]).toEqual(["CycloneDX", "1.5", "pagespan"])
  // Nothing of the machine or the time: equal sources make an equal package.
  expect(text).not.toContain(process.cwd())
  expect(await billOfMaterials(process.cwd())).toBe(text)
})
