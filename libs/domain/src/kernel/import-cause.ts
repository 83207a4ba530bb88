/** The actor of the commits of an import. */
export const IMPORT_ACTOR = 'import';

const SILENT = ':silent';

/** Returns the causation of a commit of an import: what it imports, for example `import:openlist:7`, and whether subscribers hear of it. */
export const importCause = (imported: string, isSilent: boolean): string => (isSilent ? imported + SILENT : imported);

/** Returns the service that a commit was imported from, or undefined if it was not. Anybody can choose a causation, but not the actor. */
export function importOf({
  actor,
  causation = '',
}: Readonly<{ actor: string; causation?: string }>): Readonly<{ service: string; isSilent: boolean }> | undefined {
  const [, service] = /^import:([a-z]+)/.exec(causation) ?? [];
  if (actor !== IMPORT_ACTOR || service === undefined) return undefined;
  return { service, isSilent: causation.endsWith(SILENT) };
}
