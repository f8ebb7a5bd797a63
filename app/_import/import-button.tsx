"use client"

import styles from "./import-drop.module.css"
import { chooseImport } from "./import-drop.tsx"

/** Asks for a file of OTLP/JSON, for those who do not drop one. */
export function ImportButton() {
  return (
    <button type="button" className={styles.choose} onClick={chooseImport} title="OTLP/JSON, or drop a file anywhere">
      Import
    </button>
  )
}
