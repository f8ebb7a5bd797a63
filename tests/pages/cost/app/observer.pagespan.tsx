export { RouteObserver as Observer } from "pagespan/react"
