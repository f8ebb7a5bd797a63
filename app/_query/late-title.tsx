"use client"

import { useLayoutEffect } from "react"
import { TITLE_TEMPLATE } from "#app/_ui/layout/title-template.ts"

/** Sets the title of the tab where the query was too slow for the metadata of its page. */
export function LateTitle({ title }: { title: string }) {
  // In each commit of a refresh, whose metadata sets the general title again, and before the tab shows that.
  useLayoutEffect(() => {
    document.title = TITLE_TEMPLATE.replace("%s", () => title)
  })
  return null
}
