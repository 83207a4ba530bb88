import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { lintWorkflow } from '../support/checkers/actionlint.js';

type Step = Readonly<{ uses?: string; run?: string; with?: Readonly<Record<string, unknown>> }>;
type Job = Readonly<{ 'timeout-minutes'?: number; steps: readonly Step[] }>;
type Workflow = Readonly<{ permissions: Readonly<Record<string, string>>; jobs: Readonly<Record<string, Job>> }>;

const WORKFLOW = resolve(import.meta.dirname, '../../.github/workflows/ci.yml');
const text = await readFile(WORKFLOW, 'utf8');
const { permissions, jobs } = parse(text) as Workflow;

it('actionlint accepts the workflow', async () => {
  expect(await lintWorkflow(WORKFLOW)).toBe('');
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-workflow-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const wrong = join(folder, 'ci.yml');
  await writeFile(wrong, text.replace('ubuntu-latest', 'ubuntu-lates'));
  expect(await lintWorkflow(wrong)).toContain('label "ubuntu-lates" is unknown');
});

it('the workflow may only read the repository, and runs no action that can change', () => {
  expect(permissions).toEqual({ contents: 'read' });
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^actions\/checkout@[0-9a-f]{40}$/);
});
