"use client"

import { useEffect } from "react"

/**
 * Keeps the title of the tab until the next screen has one. Next removes it when a navigation starts and sets the next one with
 * the server's response, so that the tab showed the URL meanwhile. A second `<title>` behind Next's holds a copy: the first one
 * is the title of the document.
 */
export function KeptTitle() {
  useEffect(() => {
    const kept = document.createElement("title")
    const copy = () => {
      const shown = document.head.querySelector("title")
      if (shown !== null && shown !== kept && shown.text !== kept.text) kept.text = shown.text
    }
    copy()
    document.head.append(kept)
    const observer = new MutationObserver(copy)
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      kept.remove()
    }
  }, [])
  return null
}
