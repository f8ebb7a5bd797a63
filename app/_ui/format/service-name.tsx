import { shownName } from "./text.ts"
import styles from "./service-name.module.css"

/** A service by its name, with its colour beside it. */
export function ServiceName({ name, colour }: { name: string; colour: number | undefined }) {
  return (
    <span className={styles.service} data-service={colour} title={shownName(name)}>
      <bdi>{shownName(name)}</bdi>
    </span>
  )
}
