import { localize } from "./localize"

export const proxy = localize

export const config = { matcher: ["/((?!admin|monitoring|_next|.*\\..*).*)"] }
