import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { needs } from '../needs.js';

await needs('promtool');

const run = promisify(execFile);

/** Runs promtool. Throws its output if it rejects the file, or one line if it is missing. */
export async function promtool(...words: string[]): Promise<void> {
  await run('promtool', words).catch((error: Error & { code?: unknown; stdout?: string; stderr?: string }) => {
    if (error.code === 'ENOENT')
      throw new Error('promtool is missing: install the package prometheus', { cause: error });
    throw new Error(`promtool ${words.join(' ')}: ${error.stdout}${error.stderr}`, { cause: error });
  });
}

/** Throws if an expression is not valid PromQL. */
export async function checkExpressions(expressions: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-'));
  try {
    const rules = expressions.map((expr, index) => ({ record: `checked:${index}`, expr }));
    // JSON is valid YAML.
    await writeFile(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'checked', rules }] }));
    await promtool('check', 'rules', join(folder, 'rules.yml'));
  } finally {
    await rm(folder, { recursive: true });
  }
}
