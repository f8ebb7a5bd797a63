/** A sleep that `wake` ends early. */
export class Signal {
  #end: (() => void) | undefined

  wake(): void {
    this.#end?.()
  }

  async sleep(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#end = resolve
      timer = setTimeout(resolve, milliseconds)
    })
    clearTimeout(timer)
    this.#end = undefined
  }
}
