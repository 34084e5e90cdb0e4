// What only Node has. Bundlers for pages must not look for it: hence no literal name, and a word to each of them.

export const isNode = typeof process === 'object' && Boolean(process.versions?.node);

/** A module of Node's own, by its name without `node:`. */
export const nodeModule = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);
