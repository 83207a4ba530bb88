import type { Manifest } from './kustomize.js';

type Labels = Readonly<Record<string, string>>;
type Probe = Readonly<{
  httpGet: Readonly<{ path: string; port: string | number }>;
  timeoutSeconds?: number;
}>;
type SecretSource = Readonly<{
  secret: Readonly<{ name: string; items: readonly Readonly<{ key: string; path: string }>[] }>;
}>;

export type ContainerSpec = Readonly<{
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
  initContainers?: readonly ContainerSpec[];
  containers: readonly ContainerSpec[];
  volumes: readonly Readonly<{ name: string; projected: Readonly<{ sources: readonly SecretSource[] }> }>[];
}>;

/** A Deployment or a Job. */
export type Workload = Manifest & Readonly<{ spec: { template: { metadata: { labels: Labels }; spec: PodSpec } } }>;

/** Returns the Deployments and Jobs. */
export const workloadsOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job') as Workload[];

/** Returns the label `app.kubernetes.io/component` of the pods of a workload. */
export const componentOf = ({ spec }: Workload) => spec.template.metadata.labels['app.kubernetes.io/component'] ?? '';

export const containersOf = ({ spec }: Workload): readonly ContainerSpec[] => [
  ...(spec.template.spec.initContainers ?? []),
  ...spec.template.spec.containers,
];

/** Returns the environment of a container. Throws if it references a missing ConfigMap. */
export function environmentOf(container: ContainerSpec, manifests: readonly Manifest[]): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    if (!map) throw new Error(`${container.name}: ConfigMap ${configMapRef.name} does not exist`);
    Object.assign(environment, (map as Manifest & { data: Record<string, string> }).data);
  }
  for (const { name, value } of container.env ?? []) {
    if (value === undefined) throw new Error(`${container.name}: ${name} has no literal value`);
    environment[name] = value;
  }
  return environment;
}

/** Returns every secret file that is mounted in a container, with its secret and key. */
export function secretFilesOf(
  container: ContainerSpec,
  { spec }: Workload,
): { path: string; secret: string; key: string }[] {
  return container.volumeMounts.flatMap((mount) => {
    const volume = spec.template.spec.volumes.find(({ name }) => name === mount.name);
    return (volume?.projected.sources ?? []).flatMap(({ secret }) =>
      secret.items.map(({ key, path }) => ({ path: `${mount.mountPath}/${path}`, secret: secret.name, key })),
    );
  });
}
