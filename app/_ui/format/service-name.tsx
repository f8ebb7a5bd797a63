import styles from "./service-name.module.css"
import { shownName } from "./text.ts"

/** A service name with its colour. */
export function ServiceName({ name, colour }: { name: string; colour: number | undefined }) {
  return (
    <span className={styles.service} data-service={colour} title={shownName(name)}>
      <bdi>{shownName(name)}</bdi>
    </span>
  )
}
