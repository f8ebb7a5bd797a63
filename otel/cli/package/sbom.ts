import { run } from "./library.ts"

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string; tools?: unknown; component: { name: string; [key: string]: unknown } }
  components: { externalReferences?: unknown; [key: string]: unknown }[]
  [key: string]: unknown
}

/**
 * The software bill of materials: every package that the lockfile pins for use, bundled into the inspector or installed
 * beside it. Made by npm, without what differs from one run or machine to the next.
 *
 * @returns JSON of CycloneDX 1.5.
 * @see https://cyclonedx.org/docs/1.5/json/
 */
export async function billOfMaterials(project: string): Promise<string> {
  const parameters = ["sbom", "--omit=dev", "--package-lock-only", "--sbom-format=cyclonedx", "--loglevel=error"]
  const bom = JSON.parse(await run("npm", parameters, { cwd: project })) as Bom
  delete bom.serialNumber
  delete bom.metadata.timestamp
  delete bom.metadata.tools
  // npm names the folder.
  bom.metadata.component.name = "pagespan"
  for (const component of bom.components) delete component.externalReferences
  return `${JSON.stringify(bom, undefined, 2)}\n`
}
