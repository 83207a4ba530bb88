/**
 * Replaces sealed secrets by the same secrets sealed with another key. `resealed` maps each sealed text to its replacement. A secret that
 * is not in the map was changed in the meantime and stays as it is.
 */
export type ResealSecrets = Readonly<{ type: 'ResealSecrets'; resealed: ReadonlyMap<string, string> }>;
