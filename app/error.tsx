"use client"

import { ErrorView } from "#app/ui/error-view.tsx"

export default function ScreenError({ error, retry }: { error: unknown; retry: () => void }) {
  return <ErrorView error={error} retry={retry} />
}
