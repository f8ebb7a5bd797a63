import "./failing-filters.ts"

export { onRequestError, register } from "pagespan/server"
