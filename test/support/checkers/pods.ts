import type { Manifest } from './kustomize.js';

type Labels = Readonly<Record<string, string>>;
type Probe = Readonly<{
  httpGet: Readonly<{ path: string; port: string | number }>;
  timeoutSeconds?: number;
}>;
type SecretSource = Readonly<{
  secret: Readonly<{ name: string; items: readonly Readonly<{ key: string; path: string }>[] }>;
}>;

export type Container = Readonly<{
  name: string;
  image: string;
  args: readonly string[];
  env?: readonly Readonly<{ name: string; value?: string; valueFrom?: unknown }>[];
  envFrom?: readonly Readonly<{ configMapRef: Readonly<{ name: string }> }>[];
  ports?: readonly Readonly<{ name: string; containerPort: number }>[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: Readonly<{ preStop: Readonly<{ sleep: Readonly<{ seconds: number }> }> }>;
  securityContext: unknown;
  resources: Readonly<Record<'requests' | 'limits', Readonly<Record<'cpu' | 'memory', string>>>>;
  volumeMounts: readonly Readonly<{ name: string; mountPath: string }>[];
}>;

export type PodSpec = Readonly<{
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext: Readonly<{ runAsUser: number }>;
  initContainers?: readonly Container[];
  containers: readonly Container[];
  volumes: readonly Readonly<{ name: string; projected: Readonly<{ sources: readonly SecretSource[] }> }>[];
}>;

/** A Deployment or a Job. */
export type Workload = Manifest & Readonly<{ spec: { template: { metadata: { labels: Labels }; spec: PodSpec } } }>;

/** Deployments and Jobs. */
export const workloadsOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job') as Workload[];

/** What the label `app.kubernetes.io/component` says of its pods. */
export const componentOf = ({ spec }: Workload) => spec.template.metadata.labels['app.kubernetes.io/component'] ?? '';

export const containersOf = ({ spec }: Workload): readonly Container[] => [
  ...(spec.template.spec.initContainers ?? []),
  ...spec.template.spec.containers,
];

/** What a container finds in its environment. Throws where it names a ConfigMap that is not there. */
export function environmentOf(container: Container, manifests: readonly Manifest[]): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    if (!map) throw new Error(`${container.name}: there is no ConfigMap ${configMapRef.name}`);
    Object.assign(environment, (map as Manifest & { data: Record<string, string> }).data);
  }
  for (const { name, value } of container.env ?? []) {
    if (value === undefined) throw new Error(`${container.name}: ${name} has no value of its own`);
    environment[name] = value;
  }
  return environment;
}

/** Each file that a container finds where secrets are mounted, with the secret and key that it comes from. */
export function filesOf(container: Container, { spec }: Workload): { path: string; secret: string; key: string }[] {
  return container.volumeMounts.flatMap((mount) => {
    const volume = spec.template.spec.volumes.find(({ name }) => name === mount.name);
    return (volume?.projected.sources ?? []).flatMap(({ secret }) =>
      secret.items.map(({ key, path }) => ({ path: `${mount.mountPath}/${path}`, secret: secret.name, key })),
    );
  });
}
