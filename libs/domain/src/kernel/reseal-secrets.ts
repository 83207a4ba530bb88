/**
 * Stores the same secrets sealed with another key: `resealed` maps each sealed text to its replacement. A secret whose text is not in
 * the map was replaced meanwhile and stays as it is.
 */
export type ResealSecrets = Readonly<{ type: 'ResealSecrets'; resealed: ReadonlyMap<string, string> }>;
