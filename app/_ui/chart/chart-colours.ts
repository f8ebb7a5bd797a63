/**
 * Reads colours for a canvas. The custom properties use `light-dark()`, which only an element resolves, so a probe element
 * returns the computed value.
 */
export function colourReader(element: HTMLElement): (property: `--${string}`) => string {
  const known = new Map<string, string>()
  return (property) => {
    const before = known.get(property)
    if (before !== undefined) return before
    const probe = document.createElement("span")
    probe.style.color = `var(${property})`
    // A forced colour would be the same for every series, and nothing forces the colours of a canvas.
    probe.style.setProperty("forced-color-adjust", "none")
    element.append(probe)
    const colour = getComputedStyle(probe).color
    probe.remove()
    known.set(property, colour)
    return colour
  }
}

/** Calls the listener when the colour scheme changes, by the system or by the theme on `<html>`. */
export function onSchemeChange(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)")
  system.addEventListener("change", listener)
  const chosen = new MutationObserver(listener)
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
  return () => {
    system.removeEventListener("change", listener)
    chosen.disconnect()
  }
}
