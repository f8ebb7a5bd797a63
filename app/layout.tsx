import type { Metadata, Viewport } from "next"
import { cookies } from "next/headers"
import { RouteObserver } from "pagespan/react"
import { type ReactNode, Suspense } from "react"
import { ImportDrop } from "#app/_import/import-drop.tsx"
import { LiveLight } from "#app/_live/live-light.tsx"
import { Palette } from "#app/_palette/palette.tsx"
import { THEME_COOKIE, themeOf } from "#app/_palette/theme.ts"
import { WatchBadge } from "#app/_watch/watch-badge.tsx"
import { ZoneProvider } from "#app/_ui/format/use-zone.tsx"
import { ZONE_COOKIE, zoneOf } from "#app/_ui/format/zone.ts"
import { SourceFilesProvider } from "#app/_ui/input/editor-button.tsx"
import { KeySheet } from "#app/_ui/input/key-sheet.tsx"
import { KeptTitle } from "#app/_ui/layout/kept-title.tsx"
import { type Destination, TopBar } from "#app/_ui/layout/top-bar.tsx"
import { TITLE_TEMPLATE } from "#app/_ui/layout/title-template.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"
import styles from "./layout.module.css"
import "#app/_ui/tokens.css"
import "#app/_ui/base.css"

export const metadata: Metadata = {
  title: { template: TITLE_TEMPLATE, default: "Pagespan" },
  referrer: "no-referrer",
  robots: { index: false },
}

export const viewport: Viewport = { colorScheme: "light dark" }

const DESTINATIONS: readonly Destination[] = [
  { href: "/", label: "Overview" },
  { href: "/traces", label: "Traces" },
  { href: "/logs", label: "Logs" },
  { href: "/runs", label: "Runs" },
  { href: "/errors", label: "Errors" },
  { href: "/routes", label: "Routes" },
  { href: "/services", label: "Services" },
  { href: "/dropped", label: "Dropped" },
  { href: "/connect", label: "Connect" },
]

/** The top bar has no room for more. */
const PALETTE_DESTINATIONS: readonly Destination[] = [
  ...DESTINATIONS,
  { href: "/compare", label: "Compare" },
  { href: "/traces?chart=heatmap", label: "Duration heatmap" },
  { href: "/traces?chart=differences", label: "What differs" },
  { href: "/filters", label: "Saved filters and watches" },
]

export default async function RootLayout({ children }: { children: ReactNode }) {
  const chosen = await cookies()
  const theme = themeOf(chosen.get(THEME_COOKIE)?.value)
  const zone = zoneOf(chosen.get(ZONE_COOKIE)?.value)
  return (
    <html lang="en" data-theme={theme}>
      <body>
        <a href="#content" className={styles.skip}>
          Skip to content
        </a>
        <ZoneProvider zone={zone}>
          <TopBar destinations={DESTINATIONS}>
            <Palette destinations={PALETTE_DESTINATIONS} />
            <WatchBadge />
            <LiveLight />
          </TopBar>
          <main id="content" tabIndex={-1} className={styles.content}>
            <SourceFilesProvider canOpen={inspectorInfo().config.PAGESPAN_SOURCE_ROOT !== undefined}>
              {children}
            </SourceFilesProvider>
          </main>
        </ZoneProvider>
        <KeptTitle />
        <KeySheet />
        <ImportDrop />
        <Suspense fallback={null}>
          <RouteObserver />
        </Suspense>
      </body>
    </html>
  )
}
