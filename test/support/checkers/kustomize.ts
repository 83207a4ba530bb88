import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { needs } from '../needs.js';

await needs('kustomize or kubectl');

/** The parts of a Kubernetes object that tests read. */
export type Manifest = Readonly<{
  apiVersion: string;
  kind: string;
  metadata: Readonly<{ name: string; namespace?: string; labels?: Readonly<Record<string, string>> }>;
}>;

const run = promisify(execFile);
/** kubectl contains kustomize as a subcommand. */
const PROGRAMS = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
] as const;

/**
 * Returns the objects that `kubectl apply -k` would send for this folder. Throws the error of kustomize, or one line if
 * it is missing.
 */
export async function builtBy(folder: string): Promise<Manifest[]> {
  for (const [program, word] of PROGRAMS) {
    const built = await run(program, [word, folder], { maxBuffer: 10_000_000 }).catch((error: { code?: unknown }) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    if (built) return parseAllDocuments(built.stdout).map((document) => document.toJS() as Manifest);
  }
  throw new Error('kustomize is missing: install kubectl, or kustomize with "go install" as .ci/run does');
}
