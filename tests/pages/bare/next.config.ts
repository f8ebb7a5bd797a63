import { builtForTests } from "../built-once.ts"

export default builtForTests
