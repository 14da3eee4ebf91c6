// Names of the contract (`scope-id`) as JavaScript's (`scopeId`).

/** @param {string} name */
export const camel = (name) => name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
