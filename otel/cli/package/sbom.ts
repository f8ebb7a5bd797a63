import { readFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "./library.ts"

interface Component {
  /** Name and version. */
  readonly "bom-ref": string
  externalReferences?: unknown
}

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string; tools?: unknown; component: { name: string; readonly "bom-ref": string } }
  components: Component[]
  dependencies: { readonly ref: string; dependsOn?: string[] }[]
}

/**
 * The software bill of materials: every package that the lockfile pins for use, bundled into the inspector or installed
 * beside it. Made by npm, without what differs from one run or machine to the next.
 *
 * @returns JSON of CycloneDX 1.5.
 * @see https://cyclonedx.org/docs/1.5/json/
 */
export async function billOfMaterials(project: string): Promise<string> {
  const parameters = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--loglevel=error"]
  const bom = JSON.parse(await run("npm", parameters, { cwd: project })) as Bom
  delete bom.serialNumber
  delete bom.metadata.timestamp
  delete bom.metadata.tools
  // npm names the folder.
  bom.metadata.component.name = "pagespan"
  const used = usedPackages(project)
  bom.components = bom.components.filter((component) => used.has(component["bom-ref"]))
  for (const component of bom.components) delete component.externalReferences
  used.add(bom.metadata.component["bom-ref"])
  bom.dependencies = bom.dependencies.filter(({ ref }) => used.has(ref))
  for (const each of bom.dependencies) each.dependsOn &&= each.dependsOn.filter((ref) => used.has(ref))
  return `${JSON.stringify(bom, undefined, 2)}\n`
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly name?: string; readonly version: string; readonly dev?: true }>>
}

/**
 * Name and version of the packages that are not for development alone. `npm sbom --omit=dev` leaves out those that something
 * for development needs as well.
 */
function usedPackages(project: string): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as Lockfile
  const used = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev)
  return new Set(used.map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, "")}@${version}`))
}
