import {
  apiSettings,
  brokerSettings,
  embeddedSettings,
  mongoSettings,
  mongoStoreOnly,
  processSettings,
  projectorSettings,
  readSettings,
  sharedSecretSettings,
} from '@keyfold/process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { policiesFor, portsOf, selectorsIn } from '../support/checkers/choosing-pods.js';
import { KubernetesSchemas } from '../support/checkers/kubernetes-schemas.js';
import { builtBy, type Manifest } from '../support/checkers/kustomize.js';
import { componentOf, containersOf, environmentOf, secretFilesOf, workloadsOf } from '../support/checkers/pods.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/kubernetes');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The oldest version that knows all fields, and the newest with published schemas. */
const VERSIONS = ['1.30', '1.37'];
const SECRETS = [
  ...Object.keys({ ...sharedSecretSettings, ...mongoSettings, ...brokerSettings }),
  'KEYFOLD_ADMIN_PASSWORD',
];
const SETTINGS = Object.keys({
  ...processSettings,
  ...apiSettings,
  ...projectorSettings,
  ...embeddedSettings,
  ...mongoSettings,
  ...brokerSettings,
  ...sharedSecretSettings,
  ...mongoStoreOnly,
});

const byLetters = (a: string, b: string) => a.localeCompare(b);

let base: Manifest[];
let example: Manifest[];

beforeAll(async () => {
  [base, example] = await Promise.all([builtBy(join(FOLDER, 'base')), builtBy(join(FOLDER, 'example'))]);
});

const containers = () =>
  workloadsOf(example).flatMap((workload) => containersOf(workload).map((container) => ({ workload, container })));
const named = (kind: string, name: string) =>
  example.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

describe('the manifests', () => {
  it.each(VERSIONS)('match the schemas of Kubernetes %s', async (version) => {
    const schemas = await KubernetesSchemas.of(version);
    const problems = await Promise.all([...base, ...example].map((manifest) => schemas.problemsOf(manifest)));
    expect(problems.flat()).toEqual([]);
  });

  it('are validated down to the containers: a misspelt field is a problem', async () => {
    const schemas = await KubernetesSchemas.of('1.37');
    for (const workload of structuredClone(workloadsOf(example))) {
      for (const container of containersOf(workload)) Object.assign(container, { imagePullPolice: 'Always' });
      const problems = await schemas.problemsOf(workload);
      expect(problems).toEqual(containersOf(workload).map(() => expect.stringContaining('imagePullPolice')));
    }
  });

  it('of the example are those of the base in a namespace, with the image of the site', () => {
    const namespaced = example.filter(({ kind }) => kind !== 'Namespace');
    expect(namespaced.map(({ metadata }) => metadata.namespace)).toEqual(namespaced.map(() => 'keyfold'));
    expect(new Set(containers().map(({ container }) => container.image))).toEqual(
      new Set([`registry.example.net/keyfold:${manifest.version}`]),
    );
  });

  it('run what docker-compose.yml runs', () => {
    const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { command: string[] }>;
    };
    const commands = ['migrate', 'topology', 'gateway', 'worker'].map(
      (name) => services[name]?.command.join(' ') ?? name,
    );
    expect(
      containers()
        .map(({ container }) => container.args.join(' '))
        .toSorted(byLetters),
    ).toEqual(commands.toSorted(byLetters));
  });
});

describe('the settings', () => {
  it('have names that the processes know; those that are secret, and no others, come from files', () => {
    for (const { container } of containers()) {
      for (const name of Object.keys(environmentOf(container, example))) {
        const setting = name.replace(/_FILE$/, '');
        expect(SETTINGS, container.name).toContain(setting);
        expect(name !== setting, name).toBe(SECRETS.includes(setting));
      }
    }
    expect(example.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('name the mounted files; no pod has a secret that none of its containers reads', () => {
    for (const workload of workloadsOf(example)) {
      const read = containersOf(workload).flatMap((container) =>
        Object.entries(environmentOf(container, example)).filter(([name]) => name.endsWith('_FILE')),
      );
      const mounted = containersOf(workload).flatMap((container) => secretFilesOf(container, workload));
      expect(new Set(mounted.map(({ path }) => path))).toEqual(new Set(read.map(([, path]) => path)));
    }
  });

  it('name the secrets that the README creates', () => {
    const text = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    const made = [...text.replaceAll('\\\n', '').matchAll(/create secret generic (\S+) (.*)/g)].flatMap(
      ([, name, keys]) => [...keys!.matchAll(/--from-(?:literal|file)=([\w-]+)/g)].map(([, key]) => `${name} ${key}`),
    );
    const used = containers().flatMap(({ container, workload }) =>
      secretFilesOf(container, workload).map(({ secret, key }) => `${secret} ${key}`),
    );
    expect(new Set(made)).toEqual(new Set(used));
  });
});

describe('a pod', () => {
  it('may do no more than it needs, as a namespace with the standard "restricted" asks for', () => {
    for (const workload of workloadsOf(example)) {
      const pod = workload.spec.template.spec;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    }
    for (const { container } of containers()) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const amounts of [container.resources.requests, container.resources.limits])
        expect(Object.keys(amounts).toSorted()).toEqual(['cpu', 'memory']);
    }
  });

  it('runs as the user of the image', () => {
    const [, user] = /^USER (\d+):\1$/m.exec(textOf('deploy/Dockerfile')) ?? [];
    for (const { spec } of workloadsOf(example))
      expect(spec.template.spec.securityContext).toMatchObject({
        runAsUser: Number(user),
        runAsGroup: Number(user),
        fsGroup: Number(user),
      });
  });

  it('declares the ports on which the process listens', () => {
    const schema = z.object({ ...processSettings, ...apiSettings });
    for (const { container } of containers().filter(({ workload }) => workload.kind === 'Deployment')) {
      const { KEYFOLD_TRUSTED_PROXIES: _, ...environment } = environmentOf(container, example);
      const settings = readSettings(schema, { KEYFOLD_MANAGEMENT_HOST: environment['KEYFOLD_MANAGEMENT_HOST'] });
      expect(settings.KEYFOLD_MANAGEMENT_HOST).toBe('0.0.0.0');
      const management = { name: 'management', containerPort: settings.KEYFOLD_MANAGEMENT_PORT };
      const http = { name: 'http', containerPort: settings.KEYFOLD_PORT };
      const servers = { name: 'servers', containerPort: Number(environment['KEYFOLD_SERVERS_PORT']) };
      expect(container.ports).toEqual(container.name === 'gateway' ? [http, servers, management] : [management]);
    }
  });

  it('has a longer grace period than the process ever needs', () => {
    const [, shutdown = ''] = /^### Shutdown\n(.*?)^## /ms.exec(textOf('docs/run/upgrade.md')) ?? [];
    const waits = [...shutdown.matchAll(/at most (\d+) seconds/g)].map(([, seconds]) => Number(seconds));
    expect(waits.length).toBeGreaterThan(1);
    const longest = waits.reduce((sum, seconds) => sum + seconds, 0);
    for (const { spec, kind, metadata } of workloadsOf(example).filter((workload) => workload.kind === 'Deployment')) {
      const pod = spec.template.spec;
      const before = pod.containers[0]?.lifecycle?.preStop.sleep.seconds ?? 0;
      expect(pod.terminationGracePeriodSeconds, `${kind} ${metadata.name}`).toBeGreaterThan(before + longest);
    }
  });
});

describe('objects that select pods', () => {
  it('match existing pods: services, budgets, network policies, spread constraints', () => {
    const labels = workloadsOf(example).map(({ spec }) => spec.template.metadata.labels);
    const chosen = selectorsIn(example);
    expect(chosen.length).toBeGreaterThan(10);
    for (const selector of chosen) expect(labels).toContainEqual(expect.objectContaining(selector));
  });

  it('scale a deployment that does not set its replicas, and route requests to its port', () => {
    const scaler = named('HorizontalPodAutoscaler', 'keyfold-gateway');
    expect(scaler).toMatchObject({ spec: { scaleTargetRef: { kind: 'Deployment', name: 'keyfold-gateway' } } });
    expect(named('Deployment', 'keyfold-gateway')).not.toHaveProperty('spec.replicas');
    expect(named('Service', 'keyfold-gateway')).toMatchObject({ spec: { ports: [{ targetPort: 'http' }] } });
    expect(JSON.stringify(named('Ingress', 'keyfold'))).toContain(
      '"service":{"name":"keyfold-gateway","port":{"name":"http"}}',
    );
  });

  it('let only file servers reach the servers port, through a service that no Ingress names', () => {
    const gateway = workloadsOf(example).find((each) => componentOf(each) === 'gateway');
    const policies = policiesFor(gateway?.spec.template.metadata.labels ?? {}, example);
    const rules = policies.flatMap(({ spec }) => spec.ingress ?? []);
    expect(rules.filter(({ ports }) => ports.some(({ port }) => port === 5245))).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'file-servers' } } }],
        ports: [{ port: 5245 }],
      },
    ]);
    const naming = (text: string) => example.filter((each) => JSON.stringify(each).includes(text));
    const services = naming('"targetPort":"servers"');
    expect(services.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Service keyfold-servers']);
    expect(services[0]).toMatchObject({ spec: { ports: [{ port: 5245, targetPort: 'servers' }] } });
    // Without a type, a Service is reachable within the cluster only.
    expect(services[0]).not.toHaveProperty('spec.type');
    expect(naming('"keyfold-servers"')).toEqual(services);
  });

  it('have the names by which prometheus.example.yml finds every process', () => {
    const headless = example.filter(({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-metrics'));
    expect(headless).toHaveLength(2);
    for (const service of headless) {
      expect(service).toMatchObject({ spec: { clusterIP: 'None', ports: [{ targetPort: 'management' }] } });
      const { name, namespace } = service.metadata;
      expect(textOf('deploy/prometheus/prometheus.example.yml')).toContain(`${name}.${namespace}.svc.cluster.local`);
    }
  });

  it.each([
    ['gateway', ['5244', '5245', '9464'], ['27017', '53']],
    ['worker', ['9464'], ['27017', '53', '5672']],
    ['migrate', ['9464'], ['15672', '27017', '53', '5672']],
  ])('let %s be reached at %j and reach %j, and deny everything else', (component, reached, reaches) => {
    const workload = workloadsOf(example).find((each) => componentOf(each) === component);
    const policies = policiesFor(workload?.spec.template.metadata.labels ?? {}, example);
    expect(policies.map(({ spec }) => spec)).toContainEqual({
      podSelector: expect.anything() as unknown,
      policyTypes: ['Ingress', 'Egress'],
    });
    const rules = policies.flatMap(({ spec }) => [...(spec.ingress ?? []), ...(spec.egress ?? [])]);
    for (const rule of rules) expect([...(rule.from ?? []), ...(rule.to ?? [])]).not.toEqual([]);
    expect(portsOf(policies.flatMap(({ spec }) => spec.ingress ?? []))).toEqual(reached);
    expect(portsOf(policies.flatMap(({ spec }) => spec.egress ?? []))).toEqual(reaches);
  });
});
