import { builtForTests } from "../built-once.ts"

export default { experimental: builtForTests }
