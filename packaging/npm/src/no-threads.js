// A browser has no threads in which a component could sleep.

export const inThreads = undefined;
