import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** An object of Kubernetes, as far as tests look at it. */
export type Manifest = Readonly<{
  apiVersion: string;
  kind: string;
  metadata: Readonly<{ name: string; namespace?: string; labels?: Readonly<Record<string, string>> }>;
}>;

const run = promisify(execFile);
/** kubectl has a kustomize of its own. */
const PROGRAMS = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
] as const;

/** What `kubectl apply -k` of this folder would send. Throws what kustomize says, or one line where it is missing. */
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
