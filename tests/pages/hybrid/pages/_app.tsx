import type { AppProps } from "next/app"
import Router, { useRouter } from "next/router"
import { useEffect } from "react"

const { events } = Router
const { on } = events
let listeners = 0
/** Lets tests wait until Pagespan listens to the router. The first that does is Next. */
events.on = (event, listener) => {
  on(event, listener)
  if (event === "routeChangeComplete" && ++listeners === 2) Object.assign(window, { isRouterWatched: true })
}

/** Lets tests drive the Pages Router, by the name that the App Router has in the other apps. */
export default function App({ Component, pageProps }: AppProps) {
  const router = useRouter()
  useEffect(() => void Object.assign(window, { appRouter: router }), [router])
  return <Component {...pageProps} />
}
