/** Frames in display order, the throwing frame first. Adjacent library frames fold into one line. */
export interface FrameGroup<Frame> {
  readonly isApp: boolean
  readonly frames: readonly Frame[]
}

/** A single library frame takes as much room as the line that would fold it. */
const FOLD_FROM = 2

export function frameGroups<Frame extends { readonly inApp: boolean | undefined }>(
  callerFirst: readonly Frame[],
): FrameGroup<Frame>[] {
  const knowsApp = callerFirst.some(({ inApp }) => inApp === true)
  const groups: { isApp: boolean; frames: Frame[] }[] = []
  for (const frame of callerFirst.toReversed()) {
    // If no frame is marked as in-app, every frame that is not marked as library counts as in-app.
    const isApp = knowsApp ? frame.inApp === true : frame.inApp !== false
    const last = groups.at(-1)
    if (last !== undefined && last.isApp === isApp) last.frames.push(frame)
    else groups.push({ isApp, frames: [frame] })
  }
  return groups.map((group) => (group.frames.length < FOLD_FROM ? { ...group, isApp: true } : group))
}
