import { build } from "./build.ts"

await build(process.cwd())
