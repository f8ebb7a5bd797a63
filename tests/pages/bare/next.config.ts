import { builtOnce } from "../built-once.ts"

export default { experimental: builtOnce }
