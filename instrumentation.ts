import "#app/filters/index.ts"

export { onRequestError, register } from "pagespan/server"
