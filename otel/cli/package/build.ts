import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { budgetJsonSchema } from "../../inspector/queries/budgets/budget-schema.ts"
import { build, isBuilt, whileBuilding } from "../server/build.ts"
import { copyInspector } from "./inspector.ts"
import { compileLibrary, filesBelow, importedPackages } from "./library.ts"
import { BUDGET_SCHEMA, ENTRIES, packageManifest } from "./manifest.ts"
import { bundlePackage } from "./programs.ts"
import { billOfMaterials } from "./sbom.ts"
import { bundleTestSetups } from "./test-setups.ts"
import { vendorSentryCore } from "./vendor.ts"

/** The output directory, relative to the project, for `npm pack` and `npm publish`. */
export const PACKAGE_DIRECTORY = "dist/package"
const STAMP = "dist/package-sources"
const BILL_OF_MATERIALS = "sbom.cdx.json"
const TEXTS = ["README.md", "LICENSE", "CHANGELOG.md"]
/** For the administrator of a cluster. No code reads it. */
const CLUSTER_TABLES = "inspector/store/schema/cluster.sql"

/**
 * Builds the package, unless it is a build of the current sources already.
 *
 * @returns its directory.
 */
export function buildPackage(project: string): Promise<string> {
  return whileBuilding(project, () => packageBuild(project))
}

async function packageBuild(project: string): Promise<string> {
  const target = join(project, PACKAGE_DIRECTORY)
  const stamp = join(project, STAMP)
  if (!isBuilt(project)) await build(project)
  const digest = digestOfSources(project)
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return target
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const lib = join(target, "lib")
  await compileLibrary(project, lib, ENTRIES)
  await vendorSentryCore(project, lib)
  await bundleTestSetups(lib)
  const importedByPrograms = await bundlePackage(project, lib)
  const scratch = mkdtempSync(join(tmpdir(), "pagespan-package-"))
  await copyInspector(project, join(target, "inspector"), scratch)
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(dirname(join(lib, CLUSTER_TABLES)), { recursive: true })
  copyFileSync(join(project, "otel", CLUSTER_TABLES), join(lib, CLUSTER_TABLES))
  for (const text of TEXTS) copyFileSync(join(project, text), join(target, text))
  writeFileSync(join(target, BUDGET_SCHEMA), `${JSON.stringify(budgetJsonSchema(), undefined, 2)}\n`)
  writeFileSync(join(target, BILL_OF_MATERIALS), await billOfMaterials(project))
  const manifest = packageManifest(project, new Set([...importedPackages(lib), ...importedByPrograms]))
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
  writeFileSync(stamp, digest)
  return target
}

function digestOfSources(project: string): string {
  const hash = createHash("sha256").update(readFileSync(join(project, ".next/BUILD_ID")))
  const files = filesBelow(join(project, "otel"))
  for (const file of [...files, join(project, "package.json"), ...TEXTS.map((text) => join(project, text))])
    hash.update(file).update(readFileSync(file))
  return hash.digest("hex")
}
