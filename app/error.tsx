"use client"

import { ErrorView } from "#app/_ui/layout/error-view.tsx"

export default function ScreenError({ error, retry }: { error: unknown; retry: () => void }) {
  return <ErrorView error={error} retry={retry} />
}
