import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubernetesApi } from '../support/checkers/kubernetes-api.js';
import { builtBy, type Manifest } from '../support/checkers/kustomize.js';
import { workloadsOf, type Workload } from '../support/checkers/pods.js';

const FOLDER = resolve(import.meta.dirname, '../../deploy/kubernetes');

let base: Manifest[];
let example: Manifest[];
let api: KubernetesApi;

beforeAll(async () => {
  [base, example] = await Promise.all([builtBy(`${FOLDER}/base`), builtBy(`${FOLDER}/example`)]);
  api = await KubernetesApi.start();
  // A dry run of an object requires its namespace.
  const namespaces = example.filter(({ kind }) => kind === 'Namespace');
  expect(namespaces).toHaveLength(1);
  expect(await problemsOf(namespaces, { dryRun: false })).toEqual([]);
});
afterAll(() => api?.stop());

/** Applies objects, by default as a dry run. */
async function problemsOf(manifests: readonly Manifest[], options = { dryRun: true }): Promise<string[]> {
  const problems = await Promise.all(manifests.map((manifest) => api.apply(manifest, options)));
  return problems.flat();
}

/** Returns the pod that a controller would create. */
const podOf = ({ metadata, spec: { template } }: Workload) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, labels: template.metadata.labels },
  spec: template.spec,
});

describe('the API server', () => {
  it('accepts the base and the example without warnings', async () => {
    expect(await problemsOf(base)).toEqual([]);
    expect(await problemsOf(example)).toEqual([]);
  });

  it('refuses a misspelt field, and a selector that does not match the pods of its deployment', async () => {
    const [deployment] = workloadsOf(example);
    const misspelt = structuredClone(deployment!);
    Object.assign(misspelt.spec.template.spec, { enableServiceLink: false });
    expect(await problemsOf([misspelt])).toEqual([expect.stringContaining('.enableServiceLink: field not declared')]);
    const mismatched = structuredClone(deployment!);
    Object.assign(mismatched.spec.template.metadata, { labels: { app: 'another' } });
    expect(await problemsOf([mismatched])).toEqual([expect.stringContaining('`selector` does not match')]);
  });

  it('admits the pods to the namespace of the example, but none that may become root', async () => {
    const workloads = workloadsOf(example);
    expect(workloads).toHaveLength(3);
    expect(await problemsOf(workloads.map(podOf))).toEqual([]);
    for (const workload of structuredClone(workloads)) {
      Object.assign(workload.spec.template.spec, { securityContext: {} });
      expect(await problemsOf([workload, podOf(workload)])).toEqual([
        expect.stringMatching(/^(Deployment|Job) .*would violate PodSecurity/),
        expect.stringMatching(/^Pod .* violates PodSecurity/),
      ]);
    }
  });

  it('accepts a new image for everything but the Job, which an upgrade deletes first', async () => {
    expect(await problemsOf(example, { dryRun: false })).toEqual([]);
    const upgraded = JSON.parse(
      JSON.stringify(example).replaceAll(/keyfold:[\d.]+/g, 'keyfold:upgraded'),
    ) as Manifest[];
    expect(upgraded).not.toEqual(example);
    expect(await problemsOf(upgraded)).toEqual([expect.stringMatching(/^Job keyfold-migrate: .*field is immutable/)]);
  });
});
