import { buildPackage } from "./build.ts"

/** `npm run package`: makes `dist/package`, to be handed to `npm pack` or `npm publish`. */
async function main(): Promise<void> {
  console.log(`The package is in ${await buildPackage(process.cwd())}`)
}

void main()
