import type { AppProps } from "next/app"
import { useRouter } from "next/router"
import { useEffect } from "react"

/** Lets tests drive the Pages Router, by the name that the App Router has in the other apps. */
export default function App({ Component, pageProps }: AppProps) {
  const router = useRouter()
  useEffect(() => void Object.assign(window, { appRouter: router }), [router])
  return <Component {...pageProps} />
}
