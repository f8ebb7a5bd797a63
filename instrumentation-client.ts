// Next calls it when its router leaves for another page: an open screen then does not refresh.
export { startLeaving as onRouterTransitionStart } from "#app/_live/leaving.ts"
